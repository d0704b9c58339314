"""The very first step: which words of the question are about the report, and not about its topic?"""

from __future__ import annotations

from fathom.asks import HearWishes
from fathom.engine.context import Context
from fathom.languages.wishes import hear, may_wish

PATH = "wishes"


async def hear_wishes(context: Context) -> None:
    """Take the wishes out of the question: from here on the run is about its topic alone.

    A question in which no phrase of a wish stands asks nothing, and so does a run that began before wishes were heard.
    One that only wants a comprehensive report stays whole: the planner knows what that is.
    """
    run, journal, today = context.run, context.journal, context.run.created_at[:10]
    is_begun = context.replay or journal.has_asked("")
    by_rule = hear(run.query, today=today, follows=bool(run.follows))
    wishes = bool(by_rule.wishes) or (context.reasoner.metered and may_wish(run.query))
    wishes = wishes and not (len(by_rule.wishes) == 1 and by_rule.form == "comprehensive")
    if not journal.has_asked(PATH) and (is_begun or not wishes):
        return
    heard = await context.try_ask(
        PATH, context.about(HearWishes, today=today, follows=bool(run.follows)), if_there_is_time=True
    )
    if heard is None or not heard.wishes or not (heard.topic.strip() or run.follows):
        return
    context.run = run.model_copy(update={"query": heard.topic})
    context.state.asked.preferences = heard
