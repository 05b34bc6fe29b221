"""Plan tab: a release is planned on it; it opens no data."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request as Asked
from starlette.responses import Response
from starlette.routing import Route

from leeward.core.errors import InvalidParameter, LeewardError, raise_all
from leeward.interface.web.drafting import desk_of, draft_plan
from leeward.interface.web.plan_form import Draft, Fields, Loaded, draft_of, load, posted, read_form
from leeward.interface.web.plan_result import make_budget
from leeward.interface.web.plan_view import Aim, PlanView, Possible, Saving, make_view
from leeward.interface.web.saving import next_commands, save
from leeward.interface.web.site import listed, render, site_of
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
    draft: Draft

    def text(self, name: str) -> str:
        """A field that belongs to the page and not to the plan."""
        return dict(self.fields).get(name, "").strip()


def page(asked: Asked) -> Response:
    """The plan file as a form, with its promises, its cost and its errors."""
    loaded = _loaded(asked)
    if loaded is None:
        return render(asked, "plan_none.html.j2", refusals=(), desk=desk_of(site_of(asked)))
    if loaded.request is None:
        printed = _printed(loaded.path)
        shown = {"refusals": loaded.refusals, "desk": None, "printed": printed}
        return render(asked, "plan_none.html.j2", status=200 if printed else REFUSED, **shown)
    draft = draft_of(loaded.request)
    view = make_view(loaded, loaded.request, draft, site_of(asked).ledger, first=True)
    return _shown(asked, view)


def change(asked: Asked) -> Response:
    """The form after one of its buttons: tables, shares or ε changed, or an ε looked for."""
    desk = _desk(asked)
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
        aim = _aim(desk, site_of(asked).ledger)
    elif action == "frontier":
        possible = _possible(desk)
    view = _view(asked, desk, draft)
    return _shown(asked, view, aim=aim, possible=possible, added=action == "add")


def preview(asked: Asked) -> Response:
    """The parts of the page that follow from the form."""
    desk = _desk(asked)
    view = _view(asked, desk, desk.draft)
    return render(asked, "plan_preview.html.j2", status=_status(view), view=view)


def save_plan(asked: Asked) -> Response:
    """Write the plan beside the loaded one, if it is accepted."""
    desk = _desk(asked)
    view, name = _view(asked, desk, desk.draft), desk.text("file")
    if view.refused or view.request is None:
        return _shown(asked, view, saving=Saving(name, refusals=(_unaccepted(),)))
    try:
        replace = desk.text("replace") == "yes"
        saved = save(view.request, desk.loaded.path, name, replace=replace)
        saving = Saving(name, saved, next_commands(saved, site_of(asked)))
    except LeewardError as refusal:
        saving = Saving(name, refusals=listed(refusal))
    return _shown(asked, view, saving=saving)


def _printed(path: Path) -> str:
    """What `leeward plan` prints of a sound plan that the form cannot show; else nothing."""
    try:
        return str(Prediction(read_plan(path)))
    except LeewardError:
        return ""


def _loaded(asked: Asked) -> Loaded | None:
    path, tables = site_of(asked).plan, site_of(asked).tables
    to_draft = tables is not None and path is not None and not os.path.lexists(path)
    return None if path is None or to_draft else load(path)


def _desk(asked: Asked) -> Desk:
    loaded, fields = _loaded(asked), read_form(asked.state.body)
    if loaded is None or loaded.request is None:
        raise InvalidParameter(
            "plan",
            rule="must be loaded before it is changed",
            value="no plan that can be read",
            next_step="Mend the file, or start `leeward serve` with another.",
        )
    return Desk(loaded, loaded.request, fields, posted(fields))


def _view(asked: Asked, desk: Desk, draft: Draft) -> PlanView:
    return make_view(desk.loaded, desk.request, draft, site_of(asked).ledger, first=False)


def _shown(
    asked: Asked,
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
        asked,
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


def _possible(desk: Desk) -> Possible:
    """Accuracy against ε at every second point of the grid."""
    try:
        return Possible(make_frontier(_start(desk), grid=GRID[::2]))
    except LeewardError as refusal:
        return Possible(refusals=listed(refusal))


def _aim(desk: Desk, ledger: Path | None) -> Aim:
    """The smallest ε that gives a table the wanted accuracy."""
    table, wanted = desk.text("aim.table"), desk.text("aim.error")
    try:
        target = read_target(f"{table}: {wanted}")
        found = smallest_budget(_start(desk), target)
    except LeewardError as refusal:
        return Aim(table, wanted, refusals=listed(refusal))
    return Aim(table, wanted, found, make_budget(found, ledger))


def _start(desk: Desk) -> Plan:
    """The plan of the draft, with an ample ε if its own is too small for some table."""
    asked, problems = desk.draft.request(desk.request)
    raise_all(problems)
    if asked is None:
        raise AssertionError("a draft without a request was not refused")
    plan = outlook(asked, desk.loaded.path).plan
    ample = asked.protect.model_copy(update={"epsilon": str(three_digits(MOST))})
    changed = asked.model_copy(update={"protect": ample})
    return plan or make_plan(changed, desk.loaded.path)


def _unaccepted() -> InvalidParameter:
    return InvalidParameter(
        "file",
        rule="must be a plan that is accepted",
        value="one that is refused",
        next_step="Correct what is marked above, then save.",
    )
