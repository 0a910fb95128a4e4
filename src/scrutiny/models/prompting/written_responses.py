"""Free answers in the replies of models that write: every reply is one, whatever came."""

from scrutiny.core.answers.responses import Response
from scrutiny.core.queries.remote import Reply
from scrutiny.core.task import Prediction


def written_response(reply: Reply) -> Prediction:
    """Free answer of a reply, which says how answering ended; there is always one.

    Examples
    --------
    >>> from scrutiny.core.queries.remote import Reply
    >>> written_response(Reply("Par", "length")).answer.outcome
    'cut off'
    """
    end = "refused" if reply.refusal else reply.end
    return Prediction(Response((reply.text or reply.refusal).strip(), end))
