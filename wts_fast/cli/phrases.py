"""What ``play`` says, in English and German, and the words that it understands."""

from __future__ import annotations

from typing import Any

__all__ = ["COMMANDS", "PHRASES", "Phrases"]

#: Commands by every word that means them; both languages are understood in both.
COMMANDS = {
    word: command
    for command, words in {
        "help": "help h ? hilfe",
        "undo": "undo u zurück zurueck",
        "hint": "hint tipp",
        "show": "show board zeige brett",
        "eggs": "eggs eier",
        "seal": "seal siegel",
        "record": "record partie",
        "save": "save speichern",
        "resign": "resign aufgeben",
        "quit": "quit q exit ende",
    }.items()
    for word in words.split()
}

PHRASES: dict[str, dict[str, str]] = {
    "en": {
        "black": "Black",
        "white": "White",
        "you": "You",
        "welcome": "You are {colour}, {name} (level {number}) is {other}. {about}",
        "welcome.two": "Two players at one terminal. What the first one types is not shown.",
        "resumed": "The game goes on after turn {turn}.",
        "how": "Both sides name a square in the same turn. Type yours, such as E5; ? lists what else you can type.",
        "help": """E5          your square in this turn
show        the board again, with its text
eggs        the eggs, oldest first
hint        what the full search would play for you; only after: hint on
undo        take the last turn back
seal        how to check the seal
record      the game as text
save FILE   write the game to a file (.wts); wts-fast play FILE goes on with it
resign      give the game up
quit        leave; the game is printed if it is not saved""",
        "thinks": "{name} is choosing ...",
        "sealed": "{name} has chosen. Seal: {digest}",
        "revealed": "{name} chose {square}. Salt: {salt}; the seal fits.",
        "seal.broken": "the square does not fit the seal",
        "unplayed": "(The sealed square was {square}, salt {salt}.)",
        "seal": """The seal is the SHA-256 hash of a square, a blank and a random salt. It is shown before you choose,
so the choice cannot follow yours. Once the salt is shown, check it in a shell of your own:
    printf 'E5 SALT' | sha256sum""",
        "ask": "turn {turn}, {who}: ",
        "ask.hidden": "turn {turn}, {who} (hidden): ",
        "ask.over": "game over (save FILE, record, show, undo, quit): ",
        "turn": "Turn {turn}: {black} {white}",
        "what": "{text} is no square from A1 to I9, and no word that is known here; ? lists them.",
        "more": "{text}: nothing is expected behind that word.",
        "occupied": "{square} is not empty.",
        "over": "The game is over.",
        "eggs.none": "There are no eggs.",
        "eggs": "Eggs, oldest first: {squares}.",
        "sudden": "Sudden death: {black} to {white} winning turtles.",
        "hint.off": "Hints are off; hint on switches them on.",
        "hint.on": "Hints are on: hint shows what the full search would play.",
        "hint": "The full search mixes for {colour}: {squares}. The score it expects for {colour}: {score} %.",
        "hint.hidden": "Not while the other player can read it: ask once your square is the last one.",
        "undone": "Turn {turn} is taken back.",
        "undo.none": "There is no turn to take back.",
        "save.name": "Say where: save FILE",
        "saved": "Saved: {path}",
        "save.failed": "Not saved: {reason}: {path}",
        "resign.sure": "Give the game up? yes or no: ",
        "resigned": "{who} gives up: {result}.",
        "kept": "The game so far. To go on, put it into a file and type: wts-fast play game.wts",
        "goes.on": "To go on: wts-fast play {path}",
        "won": "You beat level {number}. The next one waits: wts-fast play --level {next}",
        "won.last": "You beat level {number}, the strongest.",
    },
    "de": {
        "black": "Schwarz",
        "white": "Weiß",
        "you": "Du",
        "welcome": "Du bist {colour}, {name} (Stufe {number}) ist {other}. {about}",
        "welcome.two": "Zwei spielen an einem Terminal. Was der Erste tippt, ist nicht zu sehen.",
        "resumed": "Die Partie geht nach Zug {turn} weiter.",
        "how": "Beide nennen im selben Zug ein Feld. Tippe deines, etwa E5; ? zeigt, was du sonst tippen kannst.",
        "help": """E5              dein Feld in diesem Zug
brett           noch einmal das Brett, mit seinem Text
eier            die Eier, das älteste zuerst
tipp            was die volle Suche für dich spielen würde; erst nach: tipp an
zurück          den letzten Zug zurücknehmen
siegel          wie man das Siegel prüft
partie          die Partie als Text
speichern DATEI die Partie in eine Datei schreiben (.wts); wts-fast play DATEI setzt sie fort
aufgeben        die Partie aufgeben
ende            aufhören; die Partie wird gezeigt, wenn sie nicht gespeichert ist""",
        "thinks": "{name} wählt ...",
        "sealed": "{name} hat gewählt. Siegel: {digest}",
        "revealed": "{name} wählte {square}. Salz: {salt}; das Siegel stimmt.",
        "seal.broken": "das Feld passt nicht zum Siegel",
        "unplayed": "(Versiegelt war {square}, Salz {salt}.)",
        "seal": """Das Siegel ist der SHA-256-Hash von Feld, Leerzeichen und zufälligem Salz. Du siehst es, bevor du
wählst; also kann die Wahl nicht deiner folgen. Ist das Salz gezeigt, prüfe es in einer Shell:
    printf 'E5 SALZ' | sha256sum""",
        "ask": "Zug {turn}, {who}: ",
        "ask.hidden": "Zug {turn}, {who} (verdeckt): ",
        "ask.over": "Partie zu Ende (speichern DATEI, partie, brett, zurück, ende): ",
        "turn": "Zug {turn}: {black} {white}",
        "what": "{text} ist kein Feld von A1 bis I9 und kein Wort, das hier gilt; ? zeigt sie.",
        "more": "{text}: Hinter diesem Wort wird nichts erwartet.",
        "occupied": "{square} ist nicht leer.",
        "over": "Die Partie ist zu Ende.",
        "eggs.none": "Es gibt keine Eier.",
        "eggs": "Eier, das älteste zuerst: {squares}.",
        "sudden": "Sudden Death: {black} zu {white} Siegschildkröten.",
        "hint.off": "Tipps sind aus; tipp an schaltet sie ein.",
        "hint.on": "Tipps sind an: tipp zeigt, was die volle Suche spielen würde.",
        "hint": "Die volle Suche mischt für {colour}: {squares}. Was sie für {colour} erwartet: {score} %.",
        "hint.hidden": "Nicht, solange der andere mitlesen kann: frage, wenn dein Feld das letzte ist.",
        "undone": "Zug {turn} ist zurückgenommen.",
        "undo.none": "Es gibt keinen Zug zurückzunehmen.",
        "save.name": "Sag, wohin: speichern DATEI",
        "saved": "Gespeichert: {path}",
        "save.failed": "Nicht gespeichert: {reason}: {path}",
        "resign.sure": "Die Partie aufgeben? ja oder nein: ",
        "resigned": "{who} gibt auf: {result}.",
        "kept": "Die Partie bis hier. Um sie fortzusetzen, lege sie in eine Datei und tippe: wts-fast play game.wts",
        "goes.on": "Weiter geht es mit: wts-fast play {path}",
        "won": "Du hast Stufe {number} geschlagen. Die nächste wartet: wts-fast play --level {next}",
        "won.last": "Du hast Stufe {number} geschlagen, die stärkste.",
    },
}

#: German where the encoding has no umlauts.
_SPELT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})


class Phrases:
    """The phrases of one language.

    Parameters
    ----------
    lang : {"en", "de"}
        The language.
    ascii : bool
        Whether to spell umlauts with two letters.
    """

    def __init__(self, lang: str, *, ascii: bool = False) -> None:
        self.lang = lang
        self.ascii = ascii

    def __call__(self, name: str, /, **values: Any) -> str:
        """Return a phrase with its values."""
        return self.spell(PHRASES[self.lang][name].format_map(values))

    def spell(self, text: str) -> str:
        """Return a text as the terminal can show it."""
        return text.translate(_SPELT) if self.ascii else text
