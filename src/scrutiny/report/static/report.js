"use strict";
(function () {
  const root = document.documentElement;
  const specs = JSON.parse(document.getElementById("specs").textContent);
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  root.classList.add("js");

  // Theme: the address (#theme=dark), then the last choice, then what the system prefers.
  const button = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const asked = /theme=(dark|light)/.exec(location.hash);
  const remembered = () => { try { return localStorage.getItem("scrutiny-theme"); } catch { return null; } };
  const remember = (theme) => { try { localStorage.setItem("scrutiny-theme", theme); } catch { /* from disk some browsers refuse */ } };
  const current = () => root.dataset.theme || (system.matches ? "dark" : "light");
  function show(theme) {
    if (theme) { root.dataset.theme = theme; }
    button.textContent = current() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", "Switch to the " + (current() === "dark" ? "light" : "dark") + " theme");
    all(".vega[data-drawn]").forEach((box) => { delete box.dataset.drawn; drawIfSeen(box); });
  }
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = current() === "dark" ? "light" : "dark";
    remember(next);
    show(next);
  });
  system.addEventListener("change", () => show());

  // Charts: drawn when they come into sight, in the colors of the theme.
  function config(box) {
    const style = getComputedStyle(root);
    const color = (name) => style.getPropertyValue(name).trim();
    const font = getComputedStyle(document.body).fontFamily;
    const limit = Math.min(280, Math.max(90, box.clientWidth * 0.34));
    const text = { labelFont: font, titleFont: font, labelColor: color("--ink"), titleColor: color("--soft"), labelFontSize: 12, titleFontSize: 12, titleFontWeight: 400 };
    return {
      background: "transparent", font: font, padding: { left: 2, right: 8, top: 4, bottom: 4 },
      view: { stroke: null },
      range: { ordinal: ["--o1", "--o2", "--o3", "--o4"].map(color), category: ["--c1", "--c2", "--c3", "--c4", "--c5"].map(color), heatmap: ["--sunk", "--c1"].map(color), diverging: ["--c2", "--sunk", "--c1"].map(color), symbol: ["circle", "diamond", "square", "triangle-up", "cross"] },
      axis: { ...text, gridColor: color("--line"), domainColor: color("--line"), tickColor: color("--line"), labelPadding: 6, titlePadding: 10 },
      axisY: { labelLimit: limit },
      axisX: { labelOverlap: true },
      legend: { ...text, orient: "top", title: null, symbolSize: 60, labelLimit: 200, columnPadding: 18, columns: box.clientWidth < 460 ? 2 : 0, offset: 8 },
      mark: { color: color("--c1") },
      style: { zero: { color: color("--soft"), strokeWidth: 1, opacity: 0.7 }, limit: { color: color("--undecided"), strokeDash: [4, 3], strokeWidth: 1.5 }, best: { color: color("--ink"), strokeWidth: 2 }, over: { color: color("--paper") } },
      bar: { cornerRadiusEnd: 1 }, rule: { color: color("--c1") }, text: { color: color("--ink") },
    };
  }
  function draw(box) {
    const spec = specs[box.dataset.chart];
    if (!spec || box.dataset.drawn || !box.clientWidth) { return; }
    box.dataset.drawn = "yes";
    const choice = document.getElementById(box.dataset.chart + "-choice");
    if (choice) { choice.textContent = ""; }
    vegaEmbed(box, spec, {
      mode: "vega-lite", renderer: "svg", ast: true, config: config(box), tooltip: { theme: current() },
      logLevel: vega.Error,
      actions: { export: true, source: false, compiled: false, editor: false },
      downloadFileName: box.dataset.chart,
    }).catch((error) => { box.textContent = "The chart could not be drawn (" + error.message + "); the table has its numbers."; });
  }
  const inSight = (box) => { const r = box.getBoundingClientRect(); return r.bottom > -400 && r.top < window.innerHeight + 400; };
  const drawIfSeen = (box) => { if (inSight(box)) { draw(box); } };
  const watcher = new IntersectionObserver((entries) => entries.filter((e) => e.isIntersecting).forEach((e) => draw(e.target)), { rootMargin: "400px" });
  all(".vega").forEach((box) => watcher.observe(box));

  // Folds: tables stand open without this script; with it they wait to be asked for.
  all("details.fold").forEach((fold) => { fold.open = false; });
  if (window.innerWidth < 1180) { all(".contents details").forEach((d) => { d.open = false; }); }
  let opened = [];
  const isFronted = document.querySelector("main.fronted") !== null;
  window.addEventListener("beforeprint", () => { if (isFronted) { all("#verdict .vega").forEach(draw); return; } opened = all("details.fold.wide:not([open])"); opened.forEach((d) => { d.open = true; }); all(".vega").forEach(draw); });
  window.addEventListener("afterprint", () => { opened.forEach((d) => { d.open = false; }); });
  function openTarget() {
    const name = decodeURIComponent(location.hash.slice(1)).replace(/&?theme=(dark|light)/, "");
    const target = name && document.getElementById(name);
    if (!target) { return; }
    const inner = target.matches("details") ? target : target.querySelector(":scope > details");
    for (let d = inner || target; d; d = d.parentElement) { if (d.matches("details")) { d.open = true; } }
    target.scrollIntoView();
  }
  window.addEventListener("hashchange", openTarget);

  // Filters of the audit table.
  all(".filters").forEach((group) => {
    group.hidden = false;
    group.addEventListener("click", (event) => {
      const chip = event.target.closest("button");
      if (!chip) { return; }
      chip.setAttribute("aria-pressed", chip.getAttribute("aria-pressed") === "true" ? "false" : "true");
      const shown = new Set(Array.from(group.querySelectorAll(".chip[aria-pressed='true']")).map((c) => c.dataset.verdict));
      const rows = group.closest(".tools") ? "#risks" : ".audit";
      all(rows + " tr[data-verdict]").forEach((row) => { row.toggleAttribute("data-off", !shown.has(row.dataset.verdict)); });
      showRows();
    });
  });

  // The table of risks: searched by words, sorted by a column within each of its panels.
  const search = document.querySelector(".search input");
  function showRows() {
    const words = search ? search.value.toLowerCase().split(/\s+/).filter(Boolean) : [];
    let count = 0;
    all("#risks tr[data-verdict], .audit tr[data-verdict]").forEach((row) => {
      const isRisk = row.closest("#risks") !== null;
      const text = isRisk && words.length ? (row.textContent + " " + row.dataset.words).toLowerCase() : "";
      row.hidden = row.hasAttribute("data-off") || (isRisk && !words.every((word) => text.includes(word)));
      count += isRisk && !row.hidden ? 1 : 0;
    });
    all("#risks tbody").forEach((body) => { body.hidden = !body.querySelector("tr[data-verdict]:not([hidden])"); });
    all(".note.none").forEach((note) => { note.hidden = count > 0; });
  }
  if (search) {
    search.parentElement.hidden = false;
    search.addEventListener("input", showRows);
  }
  all("#risks th[data-sort]").forEach((head) => {
    const button = document.createElement("button");
    const column = Array.from(head.parentElement.children).indexOf(head);
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const turn = { none: "ascending", ascending: "descending", descending: "none" };
      const order = turn[head.getAttribute("aria-sort") || "none"];
      all("#risks th[aria-sort]").forEach((h) => { h.removeAttribute("aria-sort"); });
      if (order !== "none") { head.setAttribute("aria-sort", order); }
      const value = (row) => {
        if (order === "none") { return Number(row.dataset.rank); }
        const cell = row.children[column];
        if (!cell) { return ""; }
        return cell.dataset.key === undefined ? cell.textContent.trim().toLowerCase() : Number(cell.dataset.key);
      };
      const sign = order === "descending" ? -1 : 1;
      all("#risks tbody").forEach((body) => {
        const rows = Array.from(body.querySelectorAll("tr[data-verdict]"));
        rows.sort((a, b) => { const x = value(a), y = value(b); return x < y ? -sign : x > y ? sign : a.dataset.rank - b.dataset.rank; });
        body.append(...rows);
      });
    });
  });

  // Cases of a claim: by what became of them, and by their gold label.
  all(".case-filters").forEach((tools) => {
    const list = tools.nextElementSibling;
    const status = tools.querySelector("[role='status']");
    tools.hidden = false;
    tools.addEventListener("change", () => {
      const wanted = Array.from(tools.querySelectorAll("select")).filter((s) => s.value).map((s) => [s.dataset.filter, s.value]);
      const cases = Array.from(list.children);
      cases.forEach((one) => { one.hidden = !wanted.every(([name, value]) => one.dataset[name] === value); });
      status.textContent = wanted.length ? cases.filter((one) => !one.hidden).length + " of " + cases.length + " shown" : "";
    });
  });

  // Copying the command.
  all(".copy").forEach((copy) => {
    copy.hidden = !navigator.clipboard;
    copy.addEventListener("click", () => {
      navigator.clipboard.writeText(copy.parentElement.querySelector("code").textContent).then(() => {
        copy.textContent = "Copied";
        setTimeout(() => { copy.textContent = "Copy"; }, 1500);
      });
    });
  });

  show(asked ? asked[1] : remembered());
  openTarget();
})();
