"""Plan tab: a release is planned on it; it opens no data."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import Route

from leeward.core.errors import InvalidParameter, LeewardError, raise_all
from leeward.interface.web.drafting import desk_of, draft_plan
from leeward.interface.web.plan_form import Loaded, PlanDraft, draft_of, load, posted
from leeward.interface.web.plan_result import make_budget
from leeward.interface.web.plan_view import Aim, PlanView, Possible, Saving, make_view
from leeward.interface.web.saving import next_commands, save
from leeward.interface.web.site import Fields, attempt, listed, read_form, render, site_of
from leeward.publishing.plan.frontier import GRID, make_frontier
from leeward.publishing.plan.plan import Plan, make_plan, read_plan
from leeward.publishing.plan.predicted import Prediction
from leeward.publishing.plan.prediction import outlook
from leeward.publishing.plan.request import Request
from leeward.publishing.plan.target import MOST, read_target, smallest_budget, three_digits

REMOVE = re.compile(r"remove:([0-9]{1,3})")
FILTER = re.compile(r"filter:([0-9]{1,3})")
REFUSED = 422


def routes() -> list[Route]:
    """The addresses of the tab."""
    return [
        Route("/plan", page),
        Route("/plan", change, methods=["POST"]),
        Route("/plan/preview", preview, methods=["POST"]),
        Route("/plan/save", save_plan, methods=["POST"]),
        Route("/plan/draft", draft_plan, methods=["POST"]),
    ]


@dataclass(frozen=True)
class Desk:
    """The loaded plan and the form that was sent."""

    loaded: Loaded
    request: Request
    fields: Fields
    draft: PlanDraft

    def text(self, name: str) -> str:
        """A field that belongs to the page and not to the plan."""
        return dict(self.fields).get(name, "").strip()


def page(http: HttpRequest) -> Response:
    """The plan file as a form, with its promises, its cost and its errors."""
    loaded = _loaded(http)
    if loaded is None:
        return render(http, "plan_none.html.j2", refusals=(), desk=desk_of(site_of(http)))
    if loaded.request is None:
        printed = ""
        with suppress(LeewardError):  # the form cannot show it, `leeward plan` may
            printed = str(Prediction(read_plan(loaded.path)))
        shown = {"refusals": loaded.refusals, "desk": None, "printed": printed}
        return render(http, "plan_none.html.j2", status=200 if printed else REFUSED, **shown)
    draft = draft_of(loaded.request)
    view = make_view(loaded, loaded.request, draft, site_of(http).ledger, first=True)
    return _shown(http, view)


def change(http: HttpRequest) -> Response:
    """The form after one of its buttons: tables, shares or ε changed, or an ε looked for."""
    desk = _desk(http)
    action, draft, aim, possible = desk.text("action"), desk.draft, None, None
    removed, filtered = REMOVE.fullmatch(action), FILTER.fullmatch(action)
    if action == "add":
        draft = draft.with_table()
    elif removed is not None:
        draft = draft.without(int(removed[1]))
    elif filtered is not None:
        number = int(filtered[1])
        draft = draft.with_filter(number, desk.text(f"tables[{number}].add"))
    elif action == "equal":
        draft = draft.with_equal_shares()
    elif action == "use":
        draft = draft.with_text("protect.epsilon", desk.text("aim.epsilon"))
    elif action == "aim":
        aim = _aim(desk, site_of(http).ledger)
    elif action == "frontier":
        grid = GRID[::2]
        possible = Possible(*attempt(lambda: make_frontier(_start(desk), grid=grid)))
    view = _view(http, desk, draft)
    return _shown(http, view, aim=aim, possible=possible, added=action == "add")


def preview(http: HttpRequest) -> Response:
    """The parts of the page that follow from the form."""
    desk = _desk(http)
    view = _view(http, desk, desk.draft)
    return render(http, "plan_preview.html.j2", status=_status(view), view=view)


def save_plan(http: HttpRequest) -> Response:
    """Write the plan beside the loaded one, if it is accepted."""
    desk = _desk(http)
    view, name = _view(http, desk, desk.draft), desk.text("file")
    if view.refused or view.request is None:
        unaccepted = InvalidParameter(
            "file",
            rule="must be a plan that is accepted",
            value="one that is refused",
            next_step="Correct what is marked above, then save.",
        )
        return _shown(http, view, saving=Saving(name, refusals=(unaccepted,)))
    try:
        replace = desk.text("replace") == "yes"
        saved = save(view.request, desk.loaded.path, name, replace=replace)
        saving = Saving(name, saved, next_commands(saved, site_of(http)))
    except LeewardError as refusal:
        saving = Saving(name, refusals=listed(refusal))
    return _shown(http, view, saving=saving)


def _loaded(http: HttpRequest) -> Loaded | None:
    path, tables = site_of(http).plan, site_of(http).tables
    to_draft = tables is not None and path is not None and not os.path.lexists(path)
    return None if path is None or to_draft else load(path)


def _desk(http: HttpRequest) -> Desk:
    loaded, fields = _loaded(http), read_form(http.state.body)
    if loaded is None or loaded.request is None:
        raise InvalidParameter(
            "plan",
            rule="must be loaded before it is changed",
            value="no plan that can be read",
            next_step="Mend the file, or start `leeward serve` with another.",
        )
    return Desk(loaded, loaded.request, fields, posted(fields))


def _view(http: HttpRequest, desk: Desk, draft: PlanDraft) -> PlanView:
    return make_view(desk.loaded, desk.request, draft, site_of(http).ledger, first=False)


def _shown(
    http: HttpRequest,
    view: PlanView,
    *,
    aim: Aim | None = None,
    possible: Possible | None = None,
    saving: Saving | None = None,
    added: bool = False,
) -> Response:
    names = [table.name for table in view.draft.tables]
    aim = aim or Aim(names[0] if names else "", "5")
    saving, possible = saving or Saving(view.path.name), possible or Possible()
    refused = aim.refusals or saving.refusals or possible.refusals
    return render(
        http,
        "plan.html.j2",
        status=REFUSED if refused else _status(view),
        view=view,
        aim=aim,
        possible=possible,
        saving=saving,
        added=added,
    )


def _status(view: PlanView) -> int:
    return REFUSED if view.refused else 200


def _aim(desk: Desk, ledger: Path | None) -> Aim:
    """The smallest ε that gives a table the wanted accuracy."""
    table, wanted = desk.text("aim.table"), desk.text("aim.error")
    try:
        target = read_target(f"{table}: {wanted}")
        plan = smallest_budget(_start(desk), target)
    except LeewardError as refusal:
        return Aim(table, wanted, refusals=listed(refusal))
    return Aim(table, wanted, plan, make_budget(plan, ledger))


def _start(desk: Desk) -> Plan:
    """The plan of the draft, with an ample ε if its own is too small for some table."""
    request, problems = desk.draft.request(desk.request)
    raise_all(problems)
    if request is None:
        raise AssertionError("a draft without a request was not refused")
    plan = outlook(request, desk.loaded.path).plan
    ample = request.protect.model_copy(update={"epsilon": str(three_digits(MOST))})
    changed = request.model_copy(update={"protect": ample})
    return plan or make_plan(changed, desk.loaded.path)
