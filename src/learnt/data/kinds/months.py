"""The names of the months, whole and shortened, in some languages."""

from __future__ import annotations

_NAMES = {
    "English": "january february march april may june july august september october november december",
    "German": "januar februar märz april mai juni juli august september oktober november dezember",
    "Austrian": "jänner feber märz april mai juni juli august september oktober november dezember",
    "French": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "Spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "Italian": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "Portuguese": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "Dutch": "januari februari maart april mei juni juli augustus september oktober november december",
}
_SHORT = {
    "sept": 9,
    "janv": 1,
    "févr": 2,
    "avr": 4,
    "juil": 7,
    "déc": 12,
    "mrz": 3,
    "mär": 3,
    "maer": 3,
    "maerz": 3,
    "mrt": 3,
    "ene": 1,
    "abr": 4,
    "ago": 8,
    "dic": 12,
    "gen": 1,
    "mag": 5,
    "giu": 6,
    "lug": 7,
    "set": 9,
    "ott": 10,
    "fev": 2,
    "fevrier": 2,
    "aout": 8,
    "decembre": 12,
    "out": 10,
    "dez": 12,
    "okt": 10,
    "jän": 1,
}


def _all_names() -> dict[str, int]:
    names = dict(_SHORT)
    for language in _NAMES.values():
        for month, name in enumerate(language.split(), start=1):
            names[name] = month
    for month, name in enumerate(_NAMES["English"].split(), start=1):
        names[name[:3]] = month
    for month, name in enumerate(_NAMES["German"].split(), start=1):
        names.setdefault(name[:3], month)
    return names


#: Lower case, without a point at the end.
MONTHS = _all_names()
