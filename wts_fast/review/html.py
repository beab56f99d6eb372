"""A review as one page of HTML: no script, nothing loaded from elsewhere, light or dark as the reader likes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from string import Template

from ..draw.plot import Series, plot
from ..draw.svg import Svg, svg
from ..squares import COLOURS, Colour, square_name
from .model import Choice, Review, TurnReview
from .words import happened, sentences, signed, summary, verdict

__all__ = ["html", "picture"]

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
:root{--ink:#2b2a26;--faint:#6d644f;--paper:#fffdf8;--card:#f6efe0;--line:#dfd5bd;--link:#005a8c;--bad:#a63d00;
--good:#00694d}
@media(prefers-color-scheme:dark){:root{--ink:#f1ede2;--faint:#b5ab95;--paper:#1a1917;--card:#262420;--line:#4a463c;
--link:#7cc3f0;--bad:#f0a04b;--good:#5cc9a2}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,Segoe UI,Helvetica,Arial,
sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.7rem;margin:0;overflow-wrap:anywhere}h1,.totals th{unicode-bidi:isolate}
h2{font-size:1.25rem;margin:2.2rem 0 .6rem}
h3{font-size:1.05rem;margin:0 0 .5rem}p{margin:.4rem 0}a{color:var(--link)}
.faint{color:var(--faint)}.bad{color:var(--bad);font-weight:600}.good{color:var(--good)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left}td.text,th.text{text-align:left;white-space:normal}
thead th{font-weight:600;color:var(--faint);vertical-align:bottom;white-space:normal}.totals th{overflow-wrap:anywhere}
figure{margin:1rem 0}figcaption{color:var(--faint);font-size:.9rem}
svg{display:block;width:100%;height:auto;border-radius:8px}
article{background:var(--card);border-radius:10px;padding:1rem;margin:1rem 0}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:1rem 1.5rem;margin-top:.6rem}.totals{max-width:36rem;margin:1rem 0}
@media(max-width:40rem){.pair{grid-template-columns:1fr}}
dt{font-weight:600;margin-top:.6rem}dd{margin:0}
@media print{article{break-inside:avoid}}
</style>
</head>
<body>
<main>
<h1>$heading</h1>
<p class="faint">$about</p>
<p>$summary</p>
$totals
<figure>$plot<figcaption>$legend</figcaption></figure>
<h2>The turns that mattered</h2>
$mattered
<h2>All turns</h2>
$turns
<h2>What the numbers mean</h2>
$meaning
<p class="faint">$work</p>
</main>
</body>
</html>
""")

_LEGEND = (
    "Values are Black's, from −1 (White wins) to +1 (Black wins). Value is the start plus skill plus luck. "
    "A bar that points up is good for Black."
)
_MEANING = """<dl>
<dt>The mixture</dt><dd>Both players choose in secret, so good play is a mixture: a probability for each square. The
boards show both.</dd>
<dt>Gave away (loss)</dt><dd>How much worse the square was than the mixture, against the other player's mixture. It does
not depend on what the other player happened to name: it is skill, and the smaller the better.</dd>
<dt>Luck</dt><dd>What the coincidence of the two squares gave, beyond what each was worth by itself. A player who draws
from the mixture has, on average, no luck, good or bad.</dd>
<dt>The sum</dt><dd>Value after = value before − what Black gave away + what White gave away + luck. Over the game that
adds up to the result.</dd>
<dt>Proved</dt><dd>What is called proved follows from the rules; all other values are estimates of the search.</dd>
</dl>"""


def html(review: Review) -> str:
    """Return a review as a page that needs nothing beside itself.

    Parameters
    ----------
    review : Review
        A whole one, or the part that there is.

    Returns
    -------
    str
        The page, in UTF-8 when it is written. Every text from the record is escaped.
    """
    black, white = (review.tags.get(name, "?") for name in ("Black", "White"))
    heading = f"{black} against {white}"
    more = [review.tags.get("Event", ""), review.tags.get("Date", "")]
    about = [verdict(review), *(text for text in more if text and text != "????.??.??")]
    mattered = review.mattered()
    linked = {turn.number for turn in mattered}
    return _PAGE.substitute(
        title=escape(f"{heading}, a review"),
        heading=escape(heading),
        about=escape(" · ".join(about)),
        summary=escape(" ".join(summary(review))),
        totals=_totals(review, {"black": black, "white": white}),
        plot=picture(review, links=linked) if review.start_value is not None else "",
        legend=_LEGEND,
        mattered="\n".join(_article(turn) for turn in mattered) or "<p>None: no turn moved much.</p>",
        turns=_turns(review.turns, linked),
        meaning=_MEANING,
        work=escape(_work(review)),
    )


def picture(review: Review, *, links: Iterable[int] = ()) -> Svg:
    """Return the course of a game as a picture: value, skill and luck, and what each turn added.

    Parameters
    ----------
    review : Review
        With at least a value to begin from.
    links : iterable of int
        The turns that have a place ``#turn-N`` on the page.
    """
    turns = review.turns
    start = review.start_value or 0.0
    skill, luck = [0.0], [0.0]
    for turn in turns:
        skill.append(skill[-1] - turn.black.loss + turn.white.loss)
        luck.append(luck[-1] + turn.luck)
    there = set(links)
    return plot(
        [
            Series("value", [start, *(turn.after for turn in turns)]),
            Series("skill (sum)", skill),
            Series("luck (sum)", luck),
        ],
        [
            Series("Black's loss", [-turn.black.loss for turn in turns]),
            Series("White's loss", [turn.white.loss for turn in turns]),
            Series("luck", [turn.luck for turn in turns]),
        ],
        first=turns[0].number if turns else 1,
        notes=[
            f"Turn {t.number}, {t.turn}: {signed(t.before)} to {signed(t.after)}; Black gave away {t.black.loss:.3f}, "
            f"White {t.white.loss:.3f}, luck {signed(t.luck)}"
            for t in turns
        ],
        links=[f"#turn-{t.number}" if t.number in there else "" for t in turns],
        title=f"The course of the game from {signed(start)} to {signed(review.end or 0.0)}",
    )


def _totals(review: Review, names: Mapping[Colour, str]) -> str:
    sides = [review.side(colour) for colour in COLOURS]
    rows: list[tuple[str, list[str]]] = [
        ("Gave away a turn", [f"{side.mean_loss:.3f}" for side in sides]),
        ("Gave away in all", [f"{side.loss:.3f}" for side in sides]),
        ("Turns without loss", [f"{side.without_loss} of {side.turns}" for side in sides]),
        ("Missed wins", [str(side.missed_wins) for side in sides]),
        ("Missed blocks", [str(side.missed_blocks) for side in sides]),
        ("Luck", [_signed(side.luck) for side in sides]),
    ]
    heads = "".join(f'<th scope="col">{colour.capitalize()}<br>{escape(names[colour])}</th>' for colour in COLOURS)
    body = "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>' for name, cells in rows
    )
    return f'<table class="totals"><thead><tr><td></td>{heads}</tr></thead><tbody>{body}</tbody></table>'


def _signed(value: float) -> str:
    """Return a number with its sign, a true minus."""
    return signed(value).replace("-", "\u2212")


def _article(turn: TurnReview) -> str:
    sides = "".join(_side(turn, colour) for colour in COLOURS)
    sign = "\u2212" if turn.luck < 0 else "+"
    sum_ = (
        f"{_signed(turn.before)} \u2212 {turn.black.loss:.3f} + {turn.white.loss:.3f} {sign} {abs(turn.luck):.3f} = "
        f"{_signed(turn.after)}"
    )
    return (
        f'<article id="turn-{turn.number}"><h3>Turn {turn.number}: {turn.turn}</h3>'
        f"<p>{escape(' '.join(sentences(turn)))}</p>"
        f"<p class=\"faint\">Value {sum_} (before \u2212 Black's loss + White's loss + luck){_proved(turn)}</p>"
        f'<div class="pair">{sides}</div></article>'
    )


def _side(turn: TurnReview, colour: Colour) -> str:
    """Return a player's mixture as a board and as a table."""
    choice = turn.choice(colour)
    board = svg(turn.position, fill=choice.mix, last=turn.squares, title=f"{colour.capitalize()}'s mixture, in percent")
    return f"<div>{board}{_best(colour, choice)}</div>"


def _proved(turn: TurnReview) -> str:
    if turn.upper - turn.lower <= 2e-6:
        return f"; before it, {_signed(turn.lower)} is proved"
    if turn.lower > -1 or turn.upper < 1:
        return f"; before it, {_signed(turn.lower)} to {_signed(turn.upper)} is proved"
    return ""


def _best(colour: Colour, choice: Choice) -> str:
    rows = [(s, share, loss, s == choice.square) for s, share, loss in choice.best(4)]
    if not any(played for *_, played in rows):
        rows.append((choice.square, choice.probability, choice.loss, True))
    lines = "".join(
        f"<tr><td>{square_name(s)}{' (played)' if played else ''}</td>"
        f"<td>{100 * share:.0f} %</td><td>{loss:.3f}</td></tr>"
        for s, share, loss, played in rows
    )
    return (
        f'<table><thead><tr><th scope="col">{colour.capitalize()}</th><th scope="col">Mixture</th>'
        f'<th scope="col">Gives away</th></tr></thead><tbody>{lines}</tbody></table>'
    )


def _turns(turns: Iterable[TurnReview], linked: Iterable[int]) -> str:
    there = set(linked)
    rows = []
    for turn in turns:
        number = f'<a href="#turn-{turn.number}">{turn.number}</a>' if turn.number in there else f"{turn.number}"
        missed = "".join(
            f' <span class="bad">{one.colour.capitalize()} missed a {one.kind}'
            f"{' (proved)' if one.proved else ''}.</span>"
            for one in turn.missed
        )
        sides = "".join(
            f"<td>{square_name(c.square)}</td><td>{100 * c.probability:.0f} %</td><td>{c.loss:.3f}</td>"
            for c in (turn.black, turn.white)
        )
        rows.append(
            f"<tr><td>{number}</td>{sides}<td>{_signed(turn.luck)}</td><td>{_signed(turn.after)}</td>"
            f'<td class="text">{escape(" ".join(happened(turn)))}{missed}</td></tr>'
        )
    heads = (
        "Turn",
        "Black",
        "mixture",
        "gave away",
        "White",
        "mixture",
        "gave away",
        "Luck",
        "Value after",
        "What happened",
    )
    head = "".join(f'<th scope="col"{" class=text" * (text == heads[-1])}>{text}</th>' for text in heads)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _work(review: Review) -> str:
    limits = []
    if review.nodes_a_turn is not None:
        limits.append(f"{review.nodes_a_turn} nodes")
    if review.seconds_a_turn is not None:
        limits.append(f"{review.seconds_a_turn:g} seconds")
    return f"Reviewed by wts_fast, {' or '.join(limits)} a turn, in {review.seconds:.1f} seconds."
