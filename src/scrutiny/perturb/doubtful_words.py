"""Words that WordNet and its counts alone would replace wrongly, found by reading.

No sense is told apart in running text. These are the words whose usual sense of SemCor (a corpus
of 1960s prose) is not their usual one in reviews and messages ("director" as "manager"), or whose
synonyms fit a minority of their contexts ("full of" as "total of"); and the synonyms that are
rarer, coarser or of another register than the word they stand for ("minute" as "min"). They were
struck out while reading the most frequent pairs in the training part of SST-2.
"""

from typing import Final

# Lemmas that are not replaced.
DOUBTFUL: Final = frozenset(
    """accountant accumulate act akin anguish apart argument arrest ask assure attack average
    away baby back backing badly banal band bang bar beat become big blast board boast
    boom bore boss brand breadth brilliantly broad brown brutal buddy bullet bury cake
    call captivate capture care career case central cereal charm cheap cheesy class
    clearly clever cliche close club collection comment complaint conceit connect consider
    contrivance contrive cool country couple cover cruise cry cut cute dad dawn degree
    delightful design development direct directing director dirty dismiss disregard
    diverting document door drag drama dramatic dress dumb effect end endeavor enough
    ethereal evening everyday evocative examine exercise expansion explosion eye faith
    fall family famous fashion favorite fear feature feel feeling figure final finale find
    fine finish fit flair flashy flat flight floor flow food fool force form formula
    forward full gamer gay generation ghost girl glean glimpse god gold grandeur grasp
    gritty gun guy half hall hand hard heart help highlight hike history hold home honest
    honestly hood hurt imagination imagine inside instant instead interest interview
    introduction job john kill killer knowledge lean lend license life like limit lit look
    lot lover luck lunch mad magical manager marginal mark market master match matter mean
    middle mill mind minute miss mix mom morality move nearly new night noble notion now
    office otherwise outrageous outstanding pacing par particular passe pathetic perfect
    person picture pile place plain plot point poke poor pop pour practiced praise
    precious pregnant premise present print professional program project protagonist
    quality quite rather rattle recognize recommend record reduce redundant remind render
    repair rest revive rival roll rule run sacrifice save scare seat second sensual set
    shame shape sharp sharply shock short shot show single slow soon sorry soul space
    speak spirit stage stand star state status stick still stomach straight study stuff
    sturdy style sucker super surround talent target taste technique tell tender terrible
    thin think third tiny today toilet tolerate top tour treat trial trite trust turn
    unassuming unexpectedly value various view voice wait want wash watch whale wind wish
    wit witness wonder wood world wrong""".split()
)

# Lemmas that do not take another word's place.
STRUCK: Final = frozenset(
    """adept aerial animal artillery athletics behind blanket brook buff buns but cardinal cart
    cinema close commonplace commonwealth construct contemporaries cosmos crappy criticise
    dad daddy deity demo divers dread dreaded drill eff essay even exceeding fearsome fell
    fig flash forth frightening fugitive goddamn gull hopeful household howling hulk ill
    imposing individual infinite inter jolly kinda last lodge maestro mean min minor mint
    miss missy morn mortal nighttime normal oft oftentimes only optic optics overlord papa
    passing paw person pet plane poor privy punk rum saloon sec sham shitty singular slug
    smart someone somebody sometime sport spring stock tally tertiary throttle ticker
    toilet trance tum vox wiz wizard yea""".split()
)
