"""Chinese function words: what carries the grammar and seldom the meaning."""

from typing import Final

#: Particles, pronouns, prepositions, conjunctions, auxiliaries and measure words of simplified
#: Chinese, single characters and words; our own selection.
FUNCTION_WORDS: Final = frozenset(
    """的 地 得 了 着 过 吗 呢 吧 啊 呀 嘛 啦 哦 嗯 哪 么 是 在 有 和 与 及 或 而 且 但 却 并
    也 都 就 才 又 再 还 更 最 很 太 不 没 别 我 你 他 她 它 您 咱 们 这 那 此 其 某 每 各
    谁 什 怎 为 被 把 将 让 给 对 向 往 从 自 由 以 于 因 所 之 者 个 些 只 条 件 位 种 次
    上 下 里 中 内 外 前 后 时 能 会 可 要 该 应 须 等 如 若 虽 即 则 比 我们 你们 他们 她们
    它们 这个 那个 这些 那些 这里 那里 什么 怎么 为什么 因为 所以 但是 可是 如果 虽然 而且
    或者 已经 还是 就是 不是 没有 可以 一个 一些 自己""".split()
)
