"""Words for which WordNet and its counts give wrong replacements, found by reading.

No sense is told apart in running text. These are the words whose usual sense of SemCor (a corpus
of 1960s prose) is not their usual one in reviews and messages ("director" as "manager"), or whose
synonyms fit a minority of their contexts ("full of" as "total of"); and the synonyms that are
rarer, coarser or of another register than the word they stand for ("minute" as "min"). They were
struck out while reading the most frequent pairs in the training part of SST-2.
"""

from typing import Final

# Lemmas that are not replaced.
DOUBTFUL: Final = frozenset(
    """accountant accumulate act akin alien alone anguish apart argument arrest ask ass assure
    attack average avoid away baby back backing badly banal band bang bar beat become
    beginning big blast board boast boom bore boss brand breadth brilliantly broad brown
    brutal buddy bullet bury cake call captivate capture care career case castle central
    cereal charm cheap cheesy class clearly clever cliche close club collection comment
    complaint conceit concept connect consider contrivance contrive cool country couple
    cover cruise cry cut cute dad dawn deficit degree delightful design development direct
    directing director dirty dismiss disregard diverting document door drag drama dramatic
    dress dumb effect end endeavor enough envy ethereal evening everyday evocative examine
    exercise expansion explosion eye faith fall family famous fashion favorite fear
    feature feel feeling figure final finale find fine finish fit flair flashy flat flight
    floor flow food fool force form formula forward full gamer gay generation ghost girl
    glean glimpse god gold grandeur grasp gritty gun guy half hall hand hard heart help
    highlight hike history hold home honest honestly hood host hurt idea imagination
    imagine industry inside instant instead intent interest interview introduction job
    john jump kill killer knowledge lean lend license life lighten like limit lit look lot
    lover luck lunch mad magical main manager marginal mark market master match matter
    mean middle mill mind minute miss mix mom morality move nearly new night noble notion
    now office otherwise outrageous outstanding pacing par part particular passe pathetic
    perfect person picture pile place plain plot point poke poor pop pour practiced praise
    precious pregnant premise preparation present print professional program project
    protagonist quality quite rather rattle recognize recommend record reduce redundant
    regard remind render repair rescue rest revive risky rival roll rule run sacrifice
    satisfaction save scare seat second sensual set shame shape sharp sharply shock short
    shot show single slow soon sorry soul space speak spirit split stage stand star state
    status stick still stomach straight study stuff sturdy style sucker super supporter
    surround swear talent target taste technique tell tender terrible thin think third
    tiny today toilet tolerate top tour treat trend trending trial trite trust turn
    unassuming unexpectedly valley value various view voice wait waiting want wash watch
    whale wind wish wit witness wonder wood world worth wrong""".split()
)

# Lemmas that do not take another word's place.
STRUCK: Final = frozenset(
    """adept aerial animal artillery athletics behind blanket brook buff buns but cardinal cart
    cinema close commonplace commonwealth construct contemporaries cosmos crappy criticise
    curious dad daddy deity demo divers dread dreaded drill eff essay even exceeding
    fearsome fell fig flash forth frightening fugitive goddamn gull hopeful household
    howling hulk ill imposing individual infinite inter jolly kinda last lodge maestro
    mean min minor mint miss missy morn mortal nighttime normal oft oftentimes only optic
    optics overlord papa passing paw person pet plane poor privy punk rum saloon sec sham
    shitty showtime singular slug smart somebody someone sometime sport spring stock tally
    tertiary throttle ticker toilet trance tum vox wiz wizard yea""".split()
)

# Adjectives whose antonyms in WordNet belong to another sense than the one in use.
NO_ANTONYM: Final = frozenset(
    """alone another antarctic asleep blessed bored born buggy burnt certain closed compelling
    cool crazy damn dead decent directing due enough epic equivalent every everyday fancy
    fantastic fast favorite favourite fine flat free full fun game gay high hip imaginary
    infantile intimate lame lazy lean like liquid long loud main mere natural nonstop
    offensive ok okay only open other own particular passable precious previous promising
    proud pure pussy ready recent retro same serious silky single speechless stray such
    sweet thirsty tired total undiscovered unlike very wacky wide worth worthy""".split()
)

# Antonyms in the sense that the adjective usually has, where WordNet puts another one first.
ANTONYMS: Final = {
    "brilliant": "terrible",
    "cute": "ugly",
    "exemplary": "poor",
    "gorgeous": "ugly",
    "great": "terrible",
    "hard": "easy",
    "lifeless": "lively",
    "mean": "kind",
    "outstanding": "poor",
    "pointless": "meaningful",
    "real": "fake",
    "right": "wrong",
    "sad": "happy",
    "solid": "weak",
    "special": "ordinary",
    "superb": "terrible",
    "terrific": "terrible",
    "wonderful": "terrible",
}
