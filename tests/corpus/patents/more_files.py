"""More invented patents, in forms that came later: other offices, answers of services, JSON, tables, columns."""

import io
import json
import zipfile

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'

CN = (
    "\ufeff"
    + HEAD
    + """<?xml-stylesheet type="text/xsl" href="show.xsl"?>
<cn-patent-document lang="ZH" country="CN"><cn-bibliographic-data><cn-publication-reference><document-id>
<country>CN</country><doc-number>190000001</doc-number><kind>A</kind><date>20141224</date></document-id>
</cn-publication-reference><application-reference appl-type="发明专利"><document-id><country>CN</country>
<doc-number>201490000001.5</doc-number><date>20140819</date></document-id></application-reference>
<cn-priority-claims><priority-claim><country>KR</country><doc-number>10-2013-0900001</doc-number>
<date>20130820</date></priority-claim></cn-priority-claims>
<classifications-ipcr><classification-ipcr><text>A01B   33/08    (2006.01)</text></classification-ipcr>
</classifications-ipcr><invention-title>虚构的锄头</invention-title><abstract><p num="1">提供一种锄头。</p></abstract>
<cn-parties><cn-applicants><cn-applicant sequence="1"><addressbook lang="ZH"><name>虚构农具有限公司</name></addressbook>
</cn-applicant></cn-applicants><cn-inventors><cn-inventor sequence="1"><name>样本花</name></cn-inventor></cn-inventors>
</cn-parties></cn-bibliographic-data><application-body lang="CN"><description><p>锄头很重。</p></description>
<claims><claim num="0001"><claim-text>1.一种锄头，包括柄。</claim-text></claim>
<claim num="0002"><claim-text>2.根据权利要求1所述的锄头。</claim-text></claim></claims></application-body>
</cn-patent-document>
"""
)

CN_NEW = (
    HEAD
    + """<business:PatentDocumentAndRelated xmlns:base="http://www.sipo.gov.cn/XMLSchema/base"
 xmlns:business="http://www.sipo.gov.cn/XMLSchema/business" lang="zh" country="CN" docNumber="190000002" kind="B"
 datePublication="20211210"><business:BibliographicData>
<business:PublicationReference dataFormat="original"><base:DocumentID><base:WIPOST3Code>CN</base:WIPOST3Code>
<base:DocNumber>190000002</base:DocNumber><base:Kind>B</base:Kind><base:Date>20211210</base:Date></base:DocumentID>
</business:PublicationReference><business:ApplicationReference applType="10" dataFormat="original"><base:DocumentID>
<base:WIPOST3Code>CN</base:WIPOST3Code><base:DocNumber>201890000002.X</base:DocNumber><base:Date>20180424</base:Date>
</base:DocumentID></business:ApplicationReference><business:ApplicationReference dataFormat="standard">
<base:DocumentID><base:WIPOST3Code>CN</base:WIPOST3Code><base:DocNumber>102018009000002</base:DocNumber>
<base:Date>20180424</base:Date></base:DocumentID></business:ApplicationReference>
<business:PriorityDetails><business:Priority dataFormat="standard"><base:WIPOST3Code>KR</base:WIPOST3Code>
<base:DocNumber>102017000900003</base:DocNumber><base:Date>20170523</base:Date></business:Priority>
</business:PriorityDetails><business:ClassificationIPCRDetails><business:ClassificationIPCR>
<business:Section>A</business:Section><business:MainClass>01</business:MainClass>
<business:Subclass>B</business:Subclass>
<business:MainGroup>33</business:MainGroup><business:Subgroup>08</business:Subgroup>
<base:Text>A01B   33/08    (2006.01)</base:Text></business:ClassificationIPCR></business:ClassificationIPCRDetails>
<business:InventionTitle lang="zh">虚构的灯</business:InventionTitle><business:ReferencesCited><business:Citation>
<base:PatentCitation><base:DocumentID><base:WIPOST3Code>CN</base:WIPOST3Code><base:DocNumber>190000001</base:DocNumber>
<base:Kind>A</base:Kind><base:Date>20141224</base:Date></base:DocumentID></base:PatentCitation></business:Citation>
</business:ReferencesCited><business:Parties><business:ApplicantDetails><business:Applicant sequence="1">
<base:AddressBook lang="zh"><base:OrganizationName>虚构灯具有限公司</base:OrganizationName><base:Address>
<base:City>0</base:City><base:Province>0</base:Province><base:WIPOST3Code>KR</base:WIPOST3Code></base:Address>
</base:AddressBook></business:Applicant></business:ApplicantDetails><business:InventorDetails><business:Inventor>
<base:AddressBook><base:Name>样本金</base:Name></base:AddressBook></business:Inventor></business:InventorDetails>
</business:Parties></business:BibliographicData>
<business:Abstract lang="zh"><base:Paragraphs num="0001">公开了一种灯。</base:Paragraphs></business:Abstract>
<business:Description lang="zh"><business:TechnicalField><base:Paragraphs>灯很亮。</base:Paragraphs>
</business:TechnicalField></business:Description><business:Claims lang="zh"><business:Claim num="0001">
<business:ClaimText>1.一种灯，包括罩。</business:ClaimText></business:Claim></business:Claims>
</business:PatentDocumentAndRelated>
"""
)

ST96 = (
    HEAD
    + """<pat:PatentPublication xmlns:pat="http://www.wipo.int/standards/XMLSchema/ST96/Patent"
 xmlns:com="http://www.wipo.int/standards/XMLSchema/ST96/Common" com:languageCode="en">
<pat:BibliographicData><pat:PatentPublicationIdentification><com:IPOfficeCode>CA</com:IPOfficeCode>
<pat:PublicationNumber>9200005</pat:PublicationNumber><com:PatentDocumentKindCode>C</com:PatentDocumentKindCode>
<com:PublicationDate>2015-01-20</com:PublicationDate></pat:PatentPublicationIdentification>
<pat:ApplicationIdentification><com:IPOfficeCode>CA</com:IPOfficeCode><com:ApplicationNumber>
<com:ApplicationNumberText>9200005</com:ApplicationNumberText></com:ApplicationNumber>
<pat:FilingDate>2013-03-12</pat:FilingDate></pat:ApplicationIdentification>
<pat:PriorityClaimBag><pat:PriorityClaim><com:IPOfficeCode>JP</com:IPOfficeCode><com:ApplicationNumber>
<com:ApplicationNumberText>2012-900002</com:ApplicationNumberText></com:ApplicationNumber>
<pat:FilingDate>2012-03-13</pat:FilingDate></pat:PriorityClaim></pat:PriorityClaimBag>
<pat:PatentClassificationBag><pat:IPCRClassificationBag><pat:IPCRClassification><pat:Section>A</pat:Section>
<pat:Class>01</pat:Class><pat:Subclass>B</pat:Subclass>
<pat:MainGroup>33</pat:MainGroup><pat:Subgroup>08</pat:Subgroup>
</pat:IPCRClassification></pat:IPCRClassificationBag><pat:CPCClassificationBag><pat:MainCPC><pat:CPCClassification>
<pat:CPCSection>A</pat:CPCSection><pat:Class>01</pat:Class><pat:Subclass>B</pat:Subclass>
<pat:MainGroup>33</pat:MainGroup><pat:Subgroup>082</pat:Subgroup></pat:CPCClassification></pat:MainCPC></pat:CPCClassificationBag>
</pat:PatentClassificationBag><pat:InventionTitleBag><pat:InventionTitle>Imaginary lamp</pat:InventionTitle>
<pat:InventionTitle com:languageCode="fr">Lampe imaginaire</pat:InventionTitle></pat:InventionTitleBag>
<pat:ReferenceCitationBag><pat:ReferenceCitation com:citingPartyCategory="Examiner"><pat:PatentCitation>
<pat:CitedPatentDocumentIdentification><com:IPOfficeCode>JP</com:IPOfficeCode>
<pat:DocumentNumber>05-900003</pat:DocumentNumber><com:PatentDocumentKindCode>A</com:PatentDocumentKindCode>
<pat:PatentDocumentDate>1993-04</pat:PatentDocumentDate></pat:CitedPatentDocumentIdentification></pat:PatentCitation>
</pat:ReferenceCitation></pat:ReferenceCitationBag><pat:ClaimTotalQuantity>2</pat:ClaimTotalQuantity>
<pat:PartyBag><pat:ApplicantBag><pat:Applicant><com:PublicationContact><com:Name><com:EntityName>Nowhere Lamps Inc.
</com:EntityName></com:Name></com:PublicationContact></pat:Applicant></pat:ApplicantBag><pat:InventorBag><pat:Inventor>
<com:PublicationContact><com:Name><com:PersonName><com:PersonStructuredName><com:FirstName>Anna</com:FirstName>
<com:LastName>Muster</com:LastName></com:PersonStructuredName></com:PersonName></com:Name></com:PublicationContact>
</pat:Inventor></pat:InventorBag></pat:PartyBag></pat:BibliographicData>
<pat:Description><pat:TechnicalField><com:Heading>FIELD</com:Heading><com:P>Lamps.</com:P></pat:TechnicalField>
</pat:Description><pat:Claims><pat:Claim><pat:ClaimNumber>1</pat:ClaimNumber>
<pat:ClaimTypeCategory>Independent</pat:ClaimTypeCategory><pat:ClaimText>1. A lamp.</pat:ClaimText></pat:Claim>
<pat:Claim><pat:ClaimNumber>2</pat:ClaimNumber><pat:ClaimText>2. The lamp of claim 1.</pat:ClaimText></pat:Claim>
</pat:Claims><pat:Abstract><com:P>A lamp is described.</com:P></pat:Abstract></pat:PatentPublication>
"""
)

OPS = (
    HEAD
    + """<ops:world-patent-data xmlns="http://www.epo.org/exchange" xmlns:ops="http://ops.epo.org">
<exchange-documents><exchange-document family-id="70000009" country="US" doc-number="2006900009" kind="A1">
<bibliographic-data><publication-reference><document-id document-id-type="docdb"><country>US</country>
<doc-number>2006900009</doc-number><kind>A1</kind><date>20060629</date></document-id>
<document-id document-id-type="epodoc"><doc-number>US2006900009</doc-number><date>20060629</date></document-id>
</publication-reference><patent-classifications><patent-classification>
<classification-scheme office="EP" scheme="CPCI"/><section>A</section><class>01</class><subclass>B</subclass>
<main-group>33</main-group><subgroup>082</subgroup></patent-classification><patent-classification>
<classification-scheme office="US" scheme="UC"/><classification-symbol>600/585</classification-symbol>
</patent-classification></patent-classifications><application-reference><document-id document-id-type="docdb">
<country>US</country><doc-number>2390904</doc-number><kind>A</kind></document-id><document-id document-id-type="epodoc">
<doc-number>US20040023909</doc-number><date>20041228</date></document-id></application-reference>
<priority-claims><priority-claim><document-id document-id-type="epodoc"><doc-number>NL19981900010</doc-number>
<date>19981112</date></document-id></priority-claim></priority-claims><parties><applicants>
<applicant data-format="epodoc"><applicant-name><name>NOWHERE TOOLS BV [NL]</name></applicant-name></applicant>
<applicant data-format="original"><applicant-name><name>Nowhere Tools B.V., </name></applicant-name></applicant>
</applicants><inventors><inventor data-format="epodoc"><inventor-name><name>MUSTER ANNA [NL]</name></inventor-name>
</inventor></inventors></parties><invention-title lang="en">IMAGINARY HOE</invention-title><references-cited>
<citation cited-phase="national-search-report" cited-by="examiner"><patcit><document-id document-id-type="epodoc">
<doc-number>DE9900019</doc-number></document-id><document-id document-id-type="docdb"><country>DE</country>
<doc-number>9900019</doc-number><kind>A1</kind></document-id></patcit><category>Y</category><category>X</category>
</citation></references-cited></bibliographic-data>
<abstract lang="en"><p>A hoe of formula &lt;IMAGE&gt;.</p></abstract><abstract lang="en">
<p>A hoe of iron.</p></abstract>
</exchange-document></exchange-documents></ops:world-patent-data>
"""
)

OPS_TEXT = (
    HEAD
    + """<ops:world-patent-data xmlns="http://www.epo.org/exchange" xmlns:ops="http://ops.epo.org">
<ftxt:fulltext-documents xmlns="http://www.epo.org/fulltext" xmlns:ftxt="http://www.epo.org/fulltext">
<ftxt:fulltext-document fulltext-format="text-only"><bibliographic-data><publication-reference data-format="docdb">
<document-id><country>EP</country><doc-number>9000009</doc-number><kind>A1</kind></document-id></publication-reference>
</bibliographic-data><claims lang="EN"><claim><claim-text>1. A hoe.</claim-text><claim-text>2. The hoe of claim 1.
</claim-text></claim></claims></ftxt:fulltext-document></ftxt:fulltext-documents></ops:world-patent-data>
"""
)

OPS_FAMILY = (
    HEAD
    + """<ops:world-patent-data xmlns="http://www.epo.org/exchange" xmlns:ops="http://ops.epo.org"><ops:patent-family>
<ops:family-member family-id="70000010"><publication-reference><document-id document-id-type="docdb">
<country>NL</country><doc-number>1900010</doc-number><kind>C2</kind><date>20000515</date></document-id>
</publication-reference><application-reference><document-id document-id-type="docdb"><country>NL</country>
<doc-number>1900010</doc-number><kind>A</kind><date>19981112</date></document-id></application-reference>
<priority-claim><document-id document-id-type="docdb"><country>NL</country><doc-number>1900010</doc-number>
<kind>A</kind><date>19981112</date></document-id></priority-claim></ops:family-member></ops:patent-family>
</ops:world-patent-data>
"""
)

SGML = """<!DOCTYPE PATDOC PUBLIC "-//USPTO//DTD ST.32 US PATENT GRANT V2.4 2000-09-20//EN" [
<!ENTITY US06900021-20010102-D00000.TIF SYSTEM "US06900021-20010102-D00000.TIF" NDATA TIF>
]>
<PATDOC DTD="2.4" STATUS="BUILD 20001010"><SDOBI><B100><B110><DNUM><PDAT>06900021</PDAT></DNUM></B110>
<B130><PDAT>B1</PDAT></B130><B140><DATE><PDAT>20010102</PDAT></DATE></B140><B190><PDAT>US</PDAT></B190></B100>
<B200><B210><DNUM><PDAT>09190021</PDAT></DNUM></B210><B220><DATE><PDAT>19981112</PDAT></DATE></B220></B200>
<B500><B510><B511><PDAT>A01B 3308</PDAT></B511></B510>
<B540><STEXT><PDAT>Imaginary hoe of R&D &agr;&SACUTE;</PDAT></STEXT></B540>
<B560><B561><PCIT><DOC><DNUM><PDAT>9100001</PDAT></DNUM><KIND><PDAT>A</PDAT></KIND></DOC></PCIT>
<CITED-BY-EXAMINER></B561></B560><B590><B597US></B590></B500></SDOBI>
<SDOAB><BTEXT><PARA><PTEXT><PDAT>A hoe.</PDAT></PTEXT></PARA></BTEXT></SDOAB><SDODE><BTEXT><PARA><PTEXT>
<PDAT>Hoes. </PDAT><EMI FILE="D00000.TIF"></PTEXT></PARA></BTEXT></SDODE>
<SDOCL><CL><CLM ID="CLM-00001"><PARA><PTEXT><PDAT>1. A hoe.</PDAT></PTEXT></PARA></CLM></CL></SDOCL></PATDOC>
"""

APS = """HHHHHT        APS1          ISSUE - 760113
PATN
WKU  039000229
SRC  5
APN  4490225
APT  1
APD  19740307
TTL  Imaginary hoe with
      a handle
ISD  19760113
NCL  2
INVT
NAM  Muster; Anna
CTY  Springfield
STA  ZZ
INVT
NAM  Muster; Bert
CTY  Neustadt
CNT  DE2
ASSG
NAM  Nowhere Tools
CTY  Nowhere
CNT  JPX
COD  03
PRIR
CNT  JPX
APD  19730308
APN  48-900022
RLAP
COD  72
APN  350022
APD  19730416
CLAS
OCL  179 90K
ICL  A01B 3308
UREF
PNO  3500022
ISD  19700600
NAM  Frankel
FREF
PNO  46-900023
ISD  19710500
CNT  JPX
ABST
PAL  A hoe
      of iron.
BSUM
PAC  FIELD
PAR  Hoes.
CLMS
STM  What is claimed is:
NUM  1.
PAR  1. A hoe comprising
PA1  a handle.
NUM  2.
PAR  2. The hoe of claim 1.
PATN
WKU  D02400223
SRC  5
APN  5900225
APT  4
APD  19750307
TTL  Hoe
ISD  19760622
INVT
NAM  Muster; Anna
CTY  Springfield
STA  ZZ
DCLM
PAR  The ornamental design for a hoe, as shown.
"""

LENS = [
    {
        "lens_id": "000-000-000-000-001", "jurisdiction": "CN", "doc_number": "190000030", "kind": "A",
        "date_published": "2011-10-05", "lang": "zh",
        "biblio": {
            "publication_reference": {
                "jurisdiction": "CN", "doc_number": "190000030", "kind": "A", "date": "2011-10-05",
            },
            "application_reference": {
                "jurisdiction": "CN", "doc_number": "201190000030", "kind": "A", "date": "2011-04-11",
            },
            "priority_claims": {
                "claims": [{"jurisdiction": "US", "doc_number": "90003110", "kind": "P", "date": "2010-04-12"}],
                "earliest_claim": {"date": "2010-04-12"},
            },
            "invention_title": [{"text": "Imaginary hoe", "lang": "en"}, {"text": "虚构的锄头", "lang": "zh"}],
            "parties": {
                "applicants": [{"extracted_name": {"value": "NOWHERE TOOLS"}, "residence": "CN"}],
                "inventors": [{"sequence": 1, "extracted_name": {"value": "YANGBEN HUA"}}],
            },
            "classifications_ipcr": {"classifications": [{"symbol": "A01B33/08"}]},
            "classifications_cpc": {"classifications": [{"symbol": "A01B33/082"}]},
            "references_cited": {
                "citations": [
                    {"patcit": {"document_id": {"jurisdiction": "US", "doc_number": "9100001", "kind": "A"}},
                     "cited_phase": "SEA", "category": ["X"]},
                    {"nplcit": {"text": "A book"}, "cited_phase": "SEA"},
                    {"patcit": {"document_id": {"jurisdiction": "EP", "doc_number": "0900005", "kind": "A1"}},
                     "cited_phase": "APP"},
                ]
            },
        },
        "families": {"simple_family": {"members": [
            {"document_id": {"jurisdiction": "CN", "doc_number": "190000030", "kind": "B"}, "lens_id": "x"},
        ]}},
        "abstract": [{"text": "A hoe is described.", "lang": "en"}],
        "claims": [{"claims": [{"claim_text": ["1 . A hoe", "with a handle."]}, {"claim_text": ["2. The hoe."]}],
                    "lang": "en"}],
        "description": {"text": "Hoes. Many.", "lang": "en"},
    },
    {"jurisdiction": "RO", "doc_number": "900031", "kind": "A2", "lang": "ro", "biblio": {},
     "date_published": "2022-08-30"},
]  # fmt: skip

PUBLIC_DATA = {
    "publication_number": "US-9200040-B2", "application_number": "US-90004007-A", "family_id": "70000040",
    "title_localized": [{"text": "Imaginary hoe", "language": "en", "truncated": False}],
    "abstract_localized": [{"text": "A hoe is described.", "language": "en"}],
    "claims_localized": [{"text": "What is claimed is:\n1. A hoe.\n2. The hoe of claim 1.", "language": "en"}],
    "description_localized": [{"text": "FIELD\n Hoes.", "language": "en"}],
    "publication_date": 20100119, "filing_date": "20070110", "priority_date": 20060112, "grant_date": 0,
    "priority_claim": [{"application_number": "JP-2006900040-A", "filing_date": 20060112}],
    "inventor": ["Muster Anna"], "inventor_harmonized": [{"name": "MUSTER ANNA", "country_code": "DE"}],
    "assignee": ["Nowhere Tools"], "assignee_harmonized": [],
    "ipc": [{"code": "A01B33/08", "inventive": True}], "cpc": [{"code": "A01B33/082"}],
    "citation": [{"publication_number": "US-9100001-A", "type": "SEA", "category": "X"},
                 {"publication_number": "US-9100002-A", "type": "", "category": "EXA"},
                 {"publication_number": "US-9100003-A", "type": "A", "category": "APP"},
                 {"publication_number": "", "npl_text": "A book"}],
}  # fmt: skip

HUPD = {
    "application_number": "14900050", "publication_number": "US20160900050A1-20160512", "title": "Imaginary hoe",
    "decision": "PENDING", "date_published": "20160512", "filing_date": "20150925", "patent_number": "None",
    "main_cpc_label": "A01B3308", "cpc_labels": ["A01B102", "A01B33082"], "main_ipcr_label": "A01B3308",
    "ipcr_labels": [], "inventor_list": [{"inventor_name_last": "Muster", "inventor_name_first": "Anna",
    "inventor_city": "Springfield", "inventor_state": "ZZ", "inventor_country": "US"}],
    "abstract": "A hoe is described.", "claims": "1. A hoe. 2. The hoe of claim 1.", "full_description": "Hoes.",
}  # fmt: skip

EP_TSV = """EP\t0900060\tA1\t1994-06-08\tde\tTITLE\t1\tErfundene Hacke
EP\t0900060\tA1\t1994-06-08\ten\tTITLE\t1\tImaginary hoe
EP\t0900060\tA1\t1994-06-08\ten\tABSTR\t1\t<p id="pa01">A hoe is described.</p>
EP\t0900060\tA1\t1994-06-08\ten\tDESCR\t1\t<p>Hoes.</p>
EP\t0900060\tA1\t1994-06-08\ten\tCLAIM\t1\t<claim num="1"><claim-text>1. A hoe.</claim-text></claim>
EP\t0900061\tB1\t1995-06-08\tfr\tTITLE\t1\tLampe imaginaire
"""

LENS_CSV = (
    "\ufeff#,Jurisdiction,Kind,Display Key,Lens ID,Publication Date,Publication Year,Application Number,"
    "Application Date,Priority Numbers,Earliest Priority Date,Title,Abstract,Applicants,Inventors,Owners,URL,"
    "Document Type,Has Full Text,Cites Patent Count,Cited by Patent Count,Simple Family Size,Simple Family Members,"
    "Simple Family Member Jurisdictions,Extended Family Size,Extended Family Members,CPC Classifications,"
    "IPCR Classifications,US Classifications,NPL Citations,Legal Status\n"
    "1,US,B2,US 9200070 B2,000-070,2010-01-19,2010,US 90007007 A,2007-01-10,JP 2006900070 A 20060112,2006-01-12,"
    '"Imaginary hoe, improved","A hoe is\ndescribed.",NOWHERE TOOLS;;OTHER TOOLS,MUSTER ANNA,NOWHERE TOOLS,'
    "https://example.org/000-070,Granted Patent,yes,3,0,2,US 9200070 B2;;JP 2007900070 A,US;;JP,2,,"
    "A01B33/082;;Y10T29/49,A01B33/08,,,Active\n"
    "2,US,A1,US 2016/0900071 A1,000-071,2016-09-15,2016,US 201514900071 A,2015-09-23,US 201514900071 A 20150923;;"
    "US 201562900072 P 20150309,2015-03-09,Imaginary lamp,,NOWHERE LAMPS,MUSTER BERT,,,Patent Application,yes,0,0,1,"
    "US 2016/0900071 A1,US,1,,,,,,Pending\n"
)

COMMERCIAL = (
    "Report of today\nPN;Titel (orig.);Kurzfassung;Anmelder;Erfinder;IPC;Anmeldetag\n"
    "EP0900080A1;Erfundene Hacke für Gärten;Eine Hacke wird beschrieben.;Nirgendwo GmbH;Muster, Anna | Muster, Bert;"
    "A01B33/08, A01H5/00;11.06.2004\n"
)

OPS_JSON = {
    "ops:world-patent-data": {"@xmlns": {"$": "http://www.epo.org/exchange"}, "exchange-documents": {
        "exchange-document": {"@country": "US", "@doc-number": "2006900009", "@kind": "A1", "bibliographic-data": {
            "publication-reference": {"document-id": [{"@document-id-type": "docdb", "country": {"$": "US"},
                                                       "doc-number": {"$": "2006900009"}, "kind": {"$": "A1"}}]},
            "invention-title": {"@lang": "en", "$": "IMAGINARY HOE"}}}}},
}  # fmt: skip


def workbook(rows: list[list[str]]) -> bytes:
    """The smallest workbook that holds text."""
    cells = "".join(
        "<row>" + "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in row) + "</row>"
        for row in rows
    )
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
        archive.writestr(zipfile.ZipInfo("xl/worksheets/sheet1.xml"),
                         f'<worksheet xmlns="{space}"><sheetData>{cells}</sheetData></worksheet>')  # fmt: skip
    return file.getvalue()


MORE_XML = {
    "cn": CN.encode(),
    "cn-new": CN_NEW.encode(),
    "st96": ST96.encode(),
    "ops-text": OPS_TEXT.encode(),
    "ops-family": OPS_FAMILY.encode(),
}
OTHER_FORMS = {  # by the name of their file
    "ops.xml": OPS.encode(),
    "pg010102.sgml": SGML.encode("latin-1"),
    "pftaps.txt": APS.encode("latin-1"),
    "lens.jsonl": b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in LENS),
    "public.json": json.dumps(PUBLIC_DATA).encode() + b"\n",
    "hupd.json": json.dumps(HUPD, indent=2).encode(),
    "ep.tsv": EP_TSV.encode(),
    "lens.csv": LENS_CSV.encode(),
    "ops.json": json.dumps(OPS_JSON).encode(),
    "report.xlsx": workbook(
        [["Publication number", "Title", "Publication date"], ["EP0900080A1", "Hoe", "40939"]]
    ),
}
