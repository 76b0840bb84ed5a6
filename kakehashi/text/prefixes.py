"""Words whose full stop does not end a sentence: titles and abbreviations, also those of patents; not exhaustive."""

import re

# Never the end of a sentence, whatever follows.
_ALWAYS = {
    "english": """
        adj adm al approx appl capt cf chem cmdr col conf cpl dept dr ed eds eg encl esp est et fig figs
        gen gov hon ie lt maj messrs mr mrs ms mt op orig pat pats prof prov publ pvt rep resp rev sen
        ser sgt sr st supp univ viz vs""",
    "german": """
        abb abbn abk allg anm ausf beisp bes betr bez bspw bzgl bzw ca chem dgl dipl dr ehem einschl
        entspr erf evtl exkl fa fam fig figs fr ggf ggfs hr hrsg ing inkl insb insbes jh kath kfm lfd
        max mech mind min mio mrd nachf offb orig pat phys prof qual rd sog spez st staatl std str tech
        techn tel univ usf verf vgl vorl vors wg wiss zb zit zzgl""",
    "french": """
        al apr approx av bd boul brev cf chap chim cie dem dr ed éd édit env ex fig figs fr hab ind ing
        int max me min mgr mm mme mmes mlle mlles mr nb obs pr prof qq réf resp sc st ste sté suiv tech
        tél univ var""",
}
# Not the end of a sentence if a number follows ("No. 5", "Jan. 1"); otherwise it may be.
_BEFORE_NUMBER = {
    "english": """
        apr art aug ch claim cl dec eq eqs ex exs feb jan jul jun lib mar no nos nov oct p para paras pp
        pt pub ref refs sec sect sep sept tab vol vols""",
    "german": """
        abs abschn anh ansp anspr apr art aufl aug bd bde bl dez feb febr gl jan juli juni kap mär nov
        nr nrn okt p par pp rdnr rn rz s seite sep sept tab teil ziff ziffer""",
    "french": """
        août art avr chap déc éq févr janv juil juin n no nos nov num oct p par pp rev sect sept t tab
        vol""",
}
_INITIALS = re.compile(r"[^\W\d]{1,2}(?:[.-]{1,2}[^\W\d]{1,3})*")  # U.S, e.g, z.B, Ph.D, c.-à-d
_WORDS = {name: frozenset(words.split()) for name, words in _ALWAYS.items()}
_NUMBERED = {name: frozenset(words.split()) for name, words in _BEFORE_NUMBER.items()}


def is_abbreviation(word: str, language: str) -> bool:
    """Whether the word (without its full stop) is in the list; a language without a list uses the English one."""
    if language == "german" and len(word) <= 2 and word.isdigit():
        return True  # "am 3. Oktober"
    if len(word) == 1:  # German and French also abbreviate with lower-case letters: "z. B.", "p. ex."
        return word.isupper() or (language in ("german", "french") and word.isalpha())
    if word.lower() in _WORDS.get(language, _WORDS["english"]):
        return True
    return "." in word and _INITIALS.fullmatch(word) is not None


def is_numbered(word: str, language: str) -> bool:
    """Whether the word is an abbreviation only if a number follows."""
    return word.lower() in _NUMBERED.get(language, _NUMBERED["english"])
