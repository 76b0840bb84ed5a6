"""What the columns of known exports and tables mean, by their titles in lower case."""

from collections.abc import Mapping

_TITLES: Mapping[str, str] = {
    "number": "publication number|publication number(s)|publication no|publication no.|publication_number|patent number"
    "|publication|pub. no.|patent / publication number|publication numbers|record number|document number|id|doc number"
    "|publn nr|display key|文献番号|公開番号|公报号|公开（公告）号|公开号",
    "us": "patent id|document id|pgpub id",
    "country": "jurisdiction|country|publn auth|publication country|country code|authority|publication authority",
    "kind": "kind|kind code|publication kind|publn kind|wipo kind",
    "language": "language|publication language|lang|appln title lg",
    "title": "title|invention title|patent title|title (english)|title - dwpi|titel|titre|appln title"
    "|application title"
    "|発明の名称|发明名称|标题",
    "abstract": "abstract|patent abstract|abstract (english)|abstract - dwpi|zusammenfassung|abrégé|appln abstract"
    "|application abstract"
    "|要約|摘要",
    "first_claim": "first claim|main claim|independent claim",
    "claims": "claims|claims (english)|claim text",
    "description": "description|full text|description text",
    "n_claims": "num claims|number of claims|claims count|no. of claims",
    "ipc": "ipc|ipcr classifications|international classification|ipc - current|ipc codes|int. cl.|ipc class symbol",
    "cpc": "cpc|cpc classifications|cooperative patent classification|cpc - current|cpc codes|cpc class symbol",
    "cpc_group": "cpc group",
    "cpc_section": "cpc section",
    "ipc_section": "section",
    "ipc_class": "ipc class",
    "ipc_subclass": "subclass",
    "ipc_group": "main group",
    "ipc_subgroup": "subgroup",
    "inventors": "inventors|inventor|inventor/author|inventor(s)|inventor - original|erfinder|inventeur|発明者|发明人",
    "inventors_first": "disambig inventor name first|raw inventor name first|name first|inventor first name",
    "inventors_last": "disambig inventor name last|raw inventor name last|name last|inventor last name",
    "applicants": "applicants|applicant|assignee|assignees|assignee/applicant|assignee - current|applicant(s)|owners"
    "|current assignees|original assignees|assignee - standardized|anmelder|demandeur|出願人/権利者|出願人|申请人",
    "applicants_firm": "disambig assignee organization|raw assignee organization|organization",
    "applicants_first": "disambig assignee individual name first|raw assignee individual name first",
    "applicants_last": "disambig assignee individual name last|raw assignee individual name last",
    "filing": "application date|filing date|filing/creation date|appln filing date|date filed|出願日|申请日",
    "priority": "earliest priority date|priority date|earliest priority|priority dates|first priority date",
    "publication": "publication date|date published|published date|patent date|publn date|publication date(s)"
    "|earliest publication"
    "|公知日|公開日|公开（公告）日|公开日",
    "application": "application number|application no|application no.|application id|出願番号|申请号",
    "priorities": "priority numbers|priority number|priorities|priority number(s)",
    "family": "family|family id|family number|simple family id|inpadoc family id|docdb family id",
    "members": "simple family members|family members|inpadoc family members",
    "claimed": "foreign application id",  # one application whose priority is claimed, with its country and day
    "claimed_country": "foreign country filed",
    "cited": "citation patent id|citation document number|citation application id|citation id"
    "|cited patents|cited references|references cited|citations"
    "|cites patents|cited refs - patent",
    "cited_country": "citation country",
    "cited_date": "citation date",
    "withdrawn": "withdrawn",
    "cited_by": "citation category|cited by|citation phase",
}
MEANINGS: Mapping[str, str] = {
    title: meaning for meaning, titles in _TITLES.items() for title in titles.replace("_", " ").split("|")
}
NAMES = tuple(_TITLES)
# columns that say something about another patent where the table has a column of those: (that one, title, meaning)
OF_OTHERS = (("cited", "kind", "cited_kind"), ("claimed", "filing", "claimed_date"))
