"""One invented patent in each published form, written after the public schemas; numbers and names are made up."""

from tests.corpus.patents.more_files import MORE_XML

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'

MAREC = (
    HEAD
    + """<!DOCTYPE patent-document PUBLIC "-//MXW//DTD patent-document XML//EN" "patent-document.dtd">
<patent-document ucid="EP-9000001-A1" country="EP" doc-number="9000001" kind="A1" lang="EN"
    family-id="70000001" status="new" date-produced="20090516" date="20050112">
 <bibliographic-data>
  <publication-reference ucid="EP-9000001-A1" status="new" fvid="1"><document-id format="original">
   <country>EP</country><doc-number>9000001</doc-number><kind>A1</kind><date>20050112</date><lang>EN</lang>
  </document-id></publication-reference>
  <application-reference ucid="EP-04900001-A" is-representative="NO"><document-id format="epo">
   <country>EP</country><doc-number>04900001</doc-number><kind>A</kind><date>20040611</date></document-id>
  </application-reference>
  <priority-claims status="new">
   <priority-claim ucid="JP-2003900001-A"><document-id format="epo"><country>JP</country>
    <doc-number>2003900001</doc-number><kind>A</kind><date>20030612</date></document-id></priority-claim>
   <priority-claim ucid="JP-2003900002-A"><document-id format="epo"><country>JP</country>
    <doc-number>2003900002</doc-number><kind>A</kind><date>20030701</date></document-id></priority-claim>
  </priority-claims>
  <technical-data status="new">
   <classifications-ipcr>
    <classification-ipcr status="new">A01B  33/08        20060101AFI20051206BMEP        </classification-ipcr>
    <classification-ipcr status="new">A01B  33/00        20060101ALI20051206BMEP        </classification-ipcr>
   </classifications-ipcr>
   <classifications-cpc><classification-cpc>A01B  33/082       20130101 FI</classification-cpc></classifications-cpc>
   <invention-title lang="DE" status="new">Erfundene Hacke</invention-title>
   <invention-title lang="EN" status="new">Imaginary hoe</invention-title>
   <citations>
    <patent-citations>
     <patcit ucid="US-9100001-A" status="new"><document-id format="epo"><country>US</country>
      <doc-number>9100001</doc-number><kind>A</kind></document-id>
      <sources><source name="APP"/><source category="X" name="SEA" created-by-npl="N"/></sources></patcit>
     <patcit ucid="DE-19900002-A1"><sources><source name="APP"/></sources></patcit>
     <patcit ucid="GB-2900003-A"><sources><source name="OPP"/></sources></patcit>
    </patent-citations>
   </citations>
  </technical-data>
  <parties>
   <applicants>
    <applicant sequence="1" format="original"><addressbook><name>Nowhere Tools K.K.</name></addressbook></applicant>
    <applicant sequence="1" format="epo"><addressbook><last-name>NOWHERE TOOLS KK</last-name>
     <address><country>JP</country></address></addressbook></applicant>
   </applicants>
   <inventors>
    <inventor sequence="1"><addressbook><last-name>Muster</last-name><first-name>Anna</first-name>
     <address><city>Neustadt</city><country>DE</country></address></addressbook></inventor>
    <inventor sequence="2"><addressbook><name>Mustermann, Bert</name></addressbook></inventor>
   </inventors>
  </parties>
 </bibliographic-data>
 <abstract lang="EN" status="new"><p>A hoe that <b>nobody</b> made.</p><p>It has CO<sub>2</sub> in it.</p></abstract>
 <description lang="EN"><heading>Field</heading><p>Hoes.</p></description>
 <claims lang="EN"><claim num="1"><claim-text>1. A hoe comprising
  <claim-text>a handle; and</claim-text><claim-text>a blade.</claim-text></claim-text></claim>
  <claim num="2"><claim-text>2. The hoe of claim 1, which is blue.</claim-text></claim></claims>
</patent-document>
"""
)

DOCDB = (
    HEAD
    + """<exch:exchange-documents xmlns:exch="http://www.epo.org/exchange">
<exch:exchange-document country="JP" doc-number="2004900001" kind="A" doc-id="1" date-publ="20041104"
    family-id="70000001" is-representative="NO" status="A">
 <exch:bibliographic-data>
  <exch:publication-reference data-format="docdb"><document-id lang="ja"><country>JP</country>
   <doc-number>2004900001</doc-number><kind>A</kind><date>20041104</date></document-id></exch:publication-reference>
  <exch:classifications-ipcr><classification-ipcr sequence="1"><text>A01B  33/08        20060101AFI</text>
  </classification-ipcr></exch:classifications-ipcr>
  <exch:patent-classifications>
   <patent-classification sequence="1"><classification-scheme office="EP" scheme="CPCI"/>
    <classification-symbol>A01B  33/082</classification-symbol></patent-classification>
   <patent-classification sequence="2"><classification-scheme office="JP" scheme="FI"/>
    <classification-symbol>A01B33/08,A</classification-symbol></patent-classification>
  </exch:patent-classifications>
  <exch:application-reference is-representative="NO" data-format="docdb"><document-id><country>JP</country>
   <doc-number>2003900001</doc-number><kind>A</kind><date>20030612</date></document-id></exch:application-reference>
  <exch:language-of-publication>ja</exch:language-of-publication>
  <exch:priority-claims><exch:priority-claim sequence="1" data-format="docdb"><document-id><country>JP</country>
   <doc-number>2003900001</doc-number><kind>A</kind><date>20030612</date></document-id></exch:priority-claim>
  </exch:priority-claims>
  <exch:parties>
   <exch:applicants>
    <exch:applicant sequence="1" data-format="docdb"><exch:applicant-name><name>NOWHERE TOOLS KK</name>
     </exch:applicant-name><residence><country>JP</country></residence></exch:applicant>
    <exch:applicant sequence="1" data-format="docdba"><exch:applicant-name><name>Nowhere Tools K.K.</name>
     </exch:applicant-name></exch:applicant>
   </exch:applicants>
   <exch:inventors><exch:inventor sequence="1" data-format="docdb"><exch:inventor-name><name>MUSTER ANNA</name>
     </exch:inventor-name><residence><country>DE</country></residence></exch:inventor></exch:inventors>
  </exch:parties>
  <exch:invention-title lang="en" data-format="docdba">IMAGINARY HOE</exch:invention-title>
  <exch:references-cited>
   <exch:citation cited-phase="SEA" sequence="1"><patcit num="1" dnum="US9100001A"><document-id doc-id="2">
    <country>US</country><doc-number>9100001</doc-number><kind>A</kind></document-id></patcit></exch:citation>
   <exch:citation cited-by="applicant" cited-phase="examination"><patcit num="2"><document-id>
    <country>WO</country><doc-number>9990001</doc-number><kind>A1</kind></document-id></patcit></exch:citation>
   <exch:citation cited-phase="SEA"><nplcit num="3"><text>A book nobody wrote</text></nplcit></exch:citation>
  </exch:references-cited>
 </exch:bibliographic-data>
 <exch:abstract lang="en" data-format="docdba"><exch:p>PROBLEM: no hoe. SOLUTION: a hoe.</exch:p></exch:abstract>
</exch:exchange-document>
<exch:exchange-document country="JP" doc-number="" kind="A"><exch:bibliographic-data/></exch:exchange-document>
</exch:exchange-documents>
"""
)

US_GRANT = (
    HEAD
    + """<!DOCTYPE us-patent-grant SYSTEM "us-patent-grant-v45-2014-04-03.dtd" [ ]>
<us-patent-grant lang="EN" dtd-version="v4.5 2014-04-03" country="US" date-publ="20140107">
<us-bibliographic-data-grant>
<publication-reference><document-id><country>US</country><doc-number>09200001</doc-number><kind>B2</kind>
<date>20140107</date></document-id></publication-reference>
<application-reference appl-type="utility"><document-id><country>US</country><doc-number>10900001</doc-number>
<date>20040610</date></document-id></application-reference>
<priority-claims><priority-claim sequence="01" kind="national"><country>JP</country>
<doc-number>2003-900001</doc-number><date>20030612</date></priority-claim></priority-claims>
<classifications-ipcr><classification-ipcr><ipc-version-indicator><date>20060101</date></ipc-version-indicator>
<classification-level>A</classification-level><section>A</section><class>01</class><subclass>B</subclass>
<main-group>33</main-group><subgroup>08</subgroup></classification-ipcr></classifications-ipcr>
<classifications-cpc><main-cpc><classification-cpc><section>A</section><class>01</class><subclass>B</subclass>
<main-group>33</main-group><subgroup>082</subgroup></classification-cpc></main-cpc>
<further-cpc><classification-cpc><section>Y</section><class>10</class><subclass>T</subclass>
<main-group>29</main-group><subgroup>49</subgroup></classification-cpc></further-cpc></classifications-cpc>
<invention-title id="d2e53">Imaginary hoe &ndash; improved</invention-title>
<us-references-cited>
<us-citation><patcit num="00001"><document-id><country>US</country><doc-number>9100001</doc-number><kind>A</kind>
<name>Muster</name><date>19720600</date></document-id></patcit><category>cited by examiner</category></us-citation>
<us-citation><patcit num="00002"><document-id><country>US</country><doc-number>2003/0900002</doc-number>
<kind>A1</kind></document-id></patcit><category>cited by applicant</category></us-citation>
<us-citation><patcit num="00003"><document-id><country>JP</country><doc-number>H05-900003</doc-number>
</document-id></patcit><category>cited by other</category></us-citation>
<us-citation><nplcit num="00004"><othercit>A book</othercit></nplcit>
<category>cited by applicant</category></us-citation>
</us-references-cited>
<number-of-claims>7</number-of-claims>
<us-parties><us-applicants><us-applicant sequence="001" app-type="applicant"><addressbook>
<orgname>Nowhere Tools Inc.</orgname><address><city>Nowhere</city><country>JP</country></address></addressbook>
</us-applicant></us-applicants>
<inventors><inventor sequence="001"><addressbook><last-name>Muster</last-name><first-name>Anna</first-name>
<address><city>Springfield</city><state>ZZ</state><country>US</country></address></addressbook></inventor></inventors>
</us-parties>
<assignees><assignee><addressbook><orgname>Nowhere Tools Holding</orgname><role>03</role>
<address><city>Nowhere</city><country>JP</country></address></addressbook></assignee></assignees>
</us-bibliographic-data-grant>
<abstract id="abstract"><p id="p-0001" num="0000">A hoe is described.</p></abstract>
<description id="description"><?BRFSUM description="Brief Summary" end="lead"?><heading>FIELD</heading>
<p id="p-0002">Hoes.</p></description>
<us-claim-statement>What is claimed is:</us-claim-statement>
<claims id="claims"><claim id="CLM-00001" num="00001"><claim-text>1. A hoe.</claim-text></claim>
<claim id="CLM-00002" num="00002"><claim-text>2. The hoe of <claim-ref idref="CLM-00001">claim 1</claim-ref>.
</claim-text></claim></claims>
</us-patent-grant>
"""
)

US_APPLICATION = (
    HEAD
    + """<!DOCTYPE us-patent-application SYSTEM "us-patent-application-v40-2004-12-02.dtd" [ ]>
<us-patent-application lang="EN" dtd-version="v4.0 2004-12-02" country="US">
<us-bibliographic-data-application lang="EN" country="US">
<publication-reference><document-id><country>US</country><doc-number>20050900001</doc-number><kind>A1</kind>
<date>20050106</date></document-id></publication-reference>
<application-reference appl-type="utility"><document-id><country>US</country><doc-number>10900009</doc-number>
<date>20040701</date></document-id></application-reference>
<classification-ipc><edition>07</edition><main-classification>A01B033/08</main-classification>
<further-classification>A01H  500</further-classification></classification-ipc>
<invention-title id="d0e43">Hoe by hand</invention-title>
<parties><applicants><applicant sequence="00" app-type="applicant-inventor" designation="us-only"><addressbook>
<last-name>Alone</last-name><first-name>Zoe</first-name><address><city>Shelbyville</city><state>ZZ</state>
<country>US</country></address></addressbook></applicant></applicants></parties>
</us-bibliographic-data-application>
<abstract id="abstract"><p id="p-0001">A hoe, by hand.</p></abstract>
<claims id="claims"><claim id="CLM-00001"><claim-text>1. A hand hoe.</claim-text></claim></claims>
</us-patent-application>
"""
)

PATDOC = (
    HEAD
    + """<!DOCTYPE PATDOC SYSTEM "ST32-US-Grant-025xml.dtd" [
<!ENTITY US09300001-20040106-D00000.TIF SYSTEM "US09300001-20040106-D00000.TIF" NDATA TIF>]>
<PATDOC DTD="2.5" STATUS="Build 20030924"><SDOBI>
<B100><B110><DNUM><PDAT>09300001</PDAT></DNUM></B110><B130><PDAT>B1</PDAT></B130>
<B140><DATE><PDAT>20040106</PDAT></DATE></B140><B190><PDAT>US</PDAT></B190></B100>
<B200><B210><DNUM><PDAT>10900003</PDAT></DNUM></B210><B211US><PDAT>10</PDAT></B211US>
<B220><DATE><PDAT>20021015</PDAT></DATE></B220></B200>
<B300><B310><DNUM><PDAT>2001-900003</PDAT></DNUM></B310><B320><DATE><PDAT>20011016</PDAT></DATE></B320>
<B330><CTRY><PDAT>JP</PDAT></CTRY></B330></B300>
<B500><B510><B511><PDAT>7A01B 3308</PDAT></B511><B512><PDAT>A01H  500</PDAT></B512><B516><PDAT>7</PDAT></B516></B510>
<B540><STEXT><PDAT>Old imaginary hoe</PDAT></STEXT></B540>
<B560><B561><PCIT><DOC><DNUM><PDAT>9100001</PDAT></DNUM><DATE><PDAT>19720600</PDAT></DATE><KIND><PDAT>A</PDAT></KIND>
</DOC><PARTY-US><NAM><SNM><STEXT><PDAT>Muster</PDAT></STEXT></SNM></NAM></PARTY-US></PCIT><CITED-BY-EXAMINER/></B561>
<B561><PCIT><DOC><DNUM><PDAT>900004</PDAT></DNUM><CTRY><PDAT>EP</PDAT></CTRY>
</DOC></PCIT><CITED-BY-OTHER/></B561></B560>
<B570><B577><PDAT>12</PDAT></B577><B578US><PDAT>1</PDAT></B578US></B570></B500>
<B700><B720><B721><PARTY-US><NAM><FNM><PDAT>Anna</PDAT></FNM><SNM><STEXT><PDAT>Muster</PDAT></STEXT></SNM></NAM>
<ADR><CITY><PDAT>Springfield</PDAT></CITY><STATE><PDAT>ZZ</PDAT></STATE></ADR></PARTY-US></B721>
<B721><PARTY-US><NAM><FNM><PDAT>Bert</PDAT></FNM><SNM><STEXT><PDAT>Muster</PDAT></STEXT></SNM></NAM>
<ADR><CITY><PDAT>Neustadt</PDAT></CITY><CTRY><PDAT>DE</PDAT></CTRY></ADR></PARTY-US></B721></B720>
<B730><B731><PARTY-US><NAM><ONM><STEXT><PDAT>Nowhere Tools</PDAT></STEXT></ONM></NAM></PARTY-US></B731></B730></B700>
</SDOBI>
<SDOAB><BTEXT><PARA ID="P-00001" LVL="0"><PTEXT><PDAT>An old hoe of H</PDAT><HIL><SB><PDAT>2</PDAT></SB></HIL>
<PDAT>O.</PDAT></PTEXT></PARA></BTEXT></SDOAB>
<SDODE><DETDESC><BTEXT><PARA ID="P-00002" LVL="0"><PTEXT><PDAT>Old hoes.</PDAT>
</PTEXT></PARA></BTEXT></DETDESC></SDODE>
<SDOCL><H LVL="1"><STEXT><PDAT>What is claimed is:</PDAT></STEXT></H><CL>
<CLM ID="CLM-00001"><PARA ID="P-00003" LVL="0"><PTEXT><PDAT>1. An old hoe.</PDAT></PTEXT></PARA></CLM>
<CLM ID="CLM-00002"><PARA ID="P-00004" LVL="0"><PTEXT><PDAT>2. Another.</PDAT></PTEXT></PARA></CLM></CL></SDOCL>
</PATDOC>
"""
)

US_PUBLICATION = (
    HEAD
    + """<!DOCTYPE patent-application-publication SYSTEM "pap-v15-2001-01-31.dtd" []>
<patent-application-publication><subdoc-bibliographic-information>
<document-id><doc-number>20010900001</doc-number><kind-code>A1</kind-code>
<document-date>20010315</document-date></document-id>
<domestic-filing-data><application-number><doc-number>09900001</doc-number></application-number>
<application-number-series-code>09</application-number-series-code>
<filing-date>20001127</filing-date></domestic-filing-data>
<foreign-priority-data><priority-application-number><doc-number>11-900001</doc-number></priority-application-number>
<filing-date>19991126</filing-date><country-code>JP</country-code></foreign-priority-data>
<technical-information><classification-ipc><classification-ipc-primary>
<ipc>A01B033/08</ipc></classification-ipc-primary>
<classification-ipc-secondary><ipc>A01H005/00</ipc></classification-ipc-secondary>
<classification-ipc-edition>07</classification-ipc-edition></classification-ipc>
<title-of-invention>Published hoe</title-of-invention></technical-information>
<inventors><first-named-inventor><name><given-name>Anna</given-name><family-name>Muster</family-name></name>
<residence><residence-us><city>Springfield</city><state>ZZ</state>
<country-code>US</country-code></residence-us></residence>
<authority-applicant>INV</authority-applicant></first-named-inventor>
<inventor><name><given-name>Bert</given-name><family-name>Muster</family-name></name><residence><residence-non-us>
<city>Neustadt</city><country-code>DE</country-code></residence-non-us></residence></inventor></inventors>
<assignee><organization-name>Nowhere Tools</organization-name><address><city>Nowhere</city><country>
<country-code>JP</country-code></country></address></assignee>
</subdoc-bibliographic-information>
<subdoc-abstract><paragraph id="A-0001" lvl="0"><number>&lsqb;0000&rsqb;</number> A published hoe.</paragraph>
</subdoc-abstract>
<subdoc-description><detailed-description><paragraph id="P-0001">Hoes.</paragraph>
</detailed-description></subdoc-description>
<subdoc-claims><heading lvl="1">What is claimed is:</heading>
<claim id="CLM-00001"><claim-text>1. A published hoe.</claim-text></claim>
<claim id="CLM-00002"><claim-text>2. Another.</claim-text></claim></subdoc-claims>
</patent-application-publication>
"""
)

EP = (
    HEAD
    + """<!DOCTYPE ep-patent-document PUBLIC "-//EPO//EP PATENT DOCUMENT 1.4//EN" "ep-patent-document-v1-4.dtd">
<ep-patent-document id="EP04900001B1" file="EP04900001NWB1.xml" lang="en" country="EP" doc-number="0900001" kind="B1"
 date-publ="20070103" status="n" dtd-version="ep-patent-document-v1-4">
<SDOBI lang="en"><B000><eptags><B003EP>*</B003EP></eptags></B000>
<B100><B110>0900001</B110><B130>B1</B130><B140><date>20070103</date></B140><B190>EP</B190></B100>
<B200><B210>04900001.5</B210><B220><date>20040611</date></B220><B240/><B250>en</B250></B200>
<B300><B310>2003900001</B310><B320><date>20030612</date></B320><B330><ctry>JP</ctry></B330>
<B310>2003900002</B310><B320><date>20030701</date></B320><B330><ctry>JP</ctry></B330></B300>
<B500><B510EP><classification-ipcr sequence="1"><text>A01B  33/08        20060101AFI20051206BHEP        </text>
</classification-ipcr></B510EP>
<B520EP><classifications-cpc><classification-cpc sequence="1"><text>A01B  33/082       20130101 FI</text>
</classification-cpc></classifications-cpc></B520EP>
<B540><B541>de</B541><B542>Erfundene Hacke</B542><B541>en</B541><B542>Imaginary hoe</B542>
<B541>fr</B541><B542>Houe imaginaire</B542></B540>
<B560><B561><text>EP-A- 0 900 002</text></B561><B561><text>WO-A-99/90001</text></B561>
<B561><text>US-B1- 6 900 005</text></B561><B562><text>A BOOK NOBODY WROTE</text></B562></B560></B500>
<B700><B710><B711><snm>Nowhere Tools K.K.</snm><adr><city>Nowhere</city><ctry>JP</ctry></adr></B711></B710>
<B720><B721><snm>Muster, Anna</snm><adr><str>1 No Street</str><city>Neustadt</city><ctry>DE</ctry></adr></B721></B720>
<B730><B731><snm>Nowhere Tools Holding</snm><adr><city>Nowhere</city><ctry>JP</ctry></adr></B731></B730></B700>
</SDOBI>
<description id="desc" lang="en"><p id="p0001" num="0001">Hoes.</p></description>
<claims id="claims01" lang="de"><claim id="c-de-01-0001" num="0001"><claim-text>Hacke.</claim-text></claim></claims>
<claims id="claims02" lang="en"><claim id="c-en-01-0001" num="0001"><claim-text>A hoe with
<claim-text>a handle.</claim-text></claim-text></claim>
<claim id="c-en-01-0002" num="0002"><claim-text>The hoe of claim 1.</claim-text></claim></claims>
<ep-reference-list id="ref-list"><heading id="ref-h0001"><b>REFERENCES CITED IN THE DESCRIPTION</b></heading>
<ul><li><patcit id="ref-pcit0001" dnum="JP2001900006A"><text>JP 2001900006 A</text>
</patcit></li></ul></ep-reference-list>
</ep-patent-document>
"""
)

JP = """<?xml version="1.0" encoding="EUC-JP"?>
<?xml-stylesheet type="text/xsl" href="gat-a.xsl"?>
<!DOCTYPE jp-official-gazette PUBLIC "-//JPO//DTD PUBLISHED PATENT/UTILITY MODEL APPLICATION 1.0//EN" "gat-a.dtd">
<jp-official-gazette kind-of-jp="A" kind-of-st16="A" lang="ja" dtd-version="1.0" country="JP"
 xmlns:jp="http://www.jpo.go.jp"><bibliographic-data lang="ja" country="JP">
<publication-reference><document-id><country>JP</country><doc-number>2004900001</doc-number>
<kind>公開特許公報(A)</kind><date>20041104</date></document-id></publication-reference>
<application-reference><document-id><doc-number>2003900001</doc-number>
<date>20030612</date></document-id></application-reference>
<invention-title>架空の鍬</invention-title>
<classification-ipc><edition>7</edition><main-clsf>Ａ０１Ｂ  33/08</main-clsf>
<further-clsf>A01H   5/00</further-clsf></classification-ipc>
<classification-national><country>JP</country><main-clsf>A01B  33/08     101 A</main-clsf>
<further-clsf>A01H   5/00         Z</further-clsf></classification-national>
<number-of-claims>3</number-of-claims>
<jp:theme-code-info><jp:theme-code>2B034</jp:theme-code></jp:theme-code-info>
<parties><jp:applicants-agents-article><jp:applicants-agents sequence="1">
<applicant sequence="1"><addressbook lang="ja">
<name>架空農具株式会社</name><registered-number>000000000</registered-number>
<address><text>架空県架空市</text></address>
</addressbook></applicant></jp:applicants-agents></jp:applicants-agents-article>
<inventors><inventor sequence="1"><addressbook lang="ja"><name>見本 花子</name><address><text>架空県</text></address>
</addressbook></inventor></inventors></parties></bibliographic-data>
<description><background-art><p num="0002">古い鍬がある。<patcit num="1">
<text>特開２００１−９００００６号公報</text></patcit></p>
</background-art></description>
<claims><claim num="1"><claim-text>柄と刃とを備える鍬。</claim-text></claim>
<claim num="2"><claim-text>青い鍬。</claim-text></claim></claims>
<abstract><p num="">【課題】軽い鍬を提供する。<br/>【解決手段】柄と刃とを備える。<br/>【選択図】図１</p></abstract>
</jp-official-gazette>
"""

JP_ST96 = (
    HEAD
    + """<jppat:RegisteredPatentPublication xmlns:jppat="http://www.jpo.go.jp/standards/XMLSchema/ST96/JPPatent"
 xmlns:jpcom="http://www.jpo.go.jp/standards/XMLSchema/ST96/JPCommon"
 xmlns:pat="http://www.wipo.int/standards/XMLSchema/ST96/Patent"
 xmlns:com="http://www.wipo.int/standards/XMLSchema/ST96/Common" com:languageCode="ja" com:st96Version="V3_1">
<jppat:RegisteredPatentPublicationBibliographicData><pat:PlainLanguageDesignationText>特許公報(B2)
</pat:PlainLanguageDesignationText><com:RegistrationDate>2023-01-10</com:RegistrationDate>
<jppat:PatentPublicationIdentification><com:IPOfficeCode>JP</com:IPOfficeCode>
<pat:PublicationNumber>7900001</pat:PublicationNumber><com:PublicationDate>2023-01-18</com:PublicationDate>
</jppat:PatentPublicationIdentification>
<jppat:ApplicationIdentification><com:ApplicationNumber><com:ApplicationNumberText>2020900001
</com:ApplicationNumberText></com:ApplicationNumber><pat:FilingDate>2020-06-12</pat:FilingDate>
</jppat:ApplicationIdentification>
<jppat:PreviousPublishedDocument><pat:PublicationNumber>2021900009</pat:PublicationNumber>
</jppat:PreviousPublishedDocument>
<pat:PriorityClaimBag><pat:PriorityClaim com:sequenceNumber="1"><com:IPOfficeCode>US</com:IPOfficeCode>
<com:ApplicationNumber><com:ApplicationNumberText>62/900,001</com:ApplicationNumberText></com:ApplicationNumber>
<pat:FilingDate>2019-06-13</pat:FilingDate></pat:PriorityClaim></pat:PriorityClaimBag>
<jppat:IPCClassification><pat:MainClassification>A01B 33/08 20060101AFI20230110BHJP</pat:MainClassification>
<pat:FurtherClassification>A01H 5/00 20180101ALI20230110BHJP</pat:FurtherClassification></jppat:IPCClassification>
<jppat:NationalClassification><jppat:MainNationalClassification><pat:PatentClassificationText>A01B33/08,101A
</pat:PatentClassificationText></jppat:MainNationalClassification></jppat:NationalClassification>
<pat:InventionTitle>架空の鍬</pat:InventionTitle>
<pat:ReferenceCitationBag><pat:ReferenceCitation><com:PatentCitation><com:PatentCitationText>
特開２００１－９００００６（ＪＰ，Ａ）</com:PatentCitationText></com:PatentCitation></pat:ReferenceCitation>
</pat:ReferenceCitationBag><pat:ClaimTotalQuantity>2</pat:ClaimTotalQuantity>
<jppat:RegisteredPatentPublicationPartyBag><jppat:ApplicantsRegisteredPractitionersBag>
<jppat:ApplicantRegisteredPractitionerBag><jppat:Applicant com:sequenceNumber="1"><jpcom:Contact><com:Name>
<com:EntityName>架空農具株式会社</com:EntityName></com:Name><com:PostalAddressBag><com:PostalAddress>
<com:PostalAddressText>東京都新宿区市谷架空町１－１</com:PostalAddressText></com:PostalAddress></com:PostalAddressBag>
</jpcom:Contact></jppat:Applicant></jppat:ApplicantRegisteredPractitionerBag>
</jppat:ApplicantsRegisteredPractitionersBag><jppat:InventorBag><jppat:Inventor com:sequenceNumber="1">
<jpcom:Contact><com:Name><com:EntityName>見本花子</com:EntityName></com:Name><com:PostalAddressBag>
<com:PostalAddress><com:PostalAddressText>アメリカ合衆国　架空州</com:PostalAddressText></com:PostalAddress>
</com:PostalAddressBag></jpcom:Contact></jppat:Inventor></jppat:InventorBag>
</jppat:RegisteredPatentPublicationPartyBag></jppat:RegisteredPatentPublicationBibliographicData>
<jppat:Description><pat:BackgroundArt><com:P com:pNumber="0002">古い<com:B>鍬</com:B>がある。</com:P>
</pat:BackgroundArt><com:CitationBag><com:PatentCitationBag><com:P com:pNumber="0003">
<com:PatentCitation com:sequenceNumber="1">
<com:PatentCitationText>米国特許出願公開第２０１５／０９００００２号明細書</com:PatentCitationText></com:PatentCitation>
</com:P></com:PatentCitationBag></com:CitationBag></jppat:Description>
<pat:Claims><pat:Claim com:sequenceNumber="1"><pat:ClaimNumber>1</pat:ClaimNumber><pat:ClaimText>柄と刃とを備える鍬。
</pat:ClaimText></pat:Claim><pat:Claim com:sequenceNumber="2"><pat:ClaimNumber>2</pat:ClaimNumber>
<pat:ClaimText>青い請求項１の鍬。</pat:ClaimText></pat:Claim></pat:Claims>
<pat:Abstract><com:P>【課題】軽い鍬を提供する。<com:Br/>【解決手段】柄と刃とを備える。</com:P></pat:Abstract>
<jppat:WrittenAmendmentBag><jppat:WrittenAmendment><pat:Claims><pat:Claim><pat:ClaimText>赤い鍬。</pat:ClaimText>
</pat:Claim></pat:Claims></jppat:WrittenAmendment></jppat:WrittenAmendmentBag>
</jppat:RegisteredPatentPublication>
"""
)
GRANTED = "RegisteredPatentPublication"

BYTES = {
    **MORE_XML,
    "marec": MAREC.encode(),
    "docdb": DOCDB.encode(),
    "us-grant": US_GRANT.encode(),
    "us-application": US_APPLICATION.encode(),
    "patdoc": PATDOC.encode(),
    "us-publication": US_PUBLICATION.encode(),
    "ep": EP.encode(),
    "jp": JP.encode("euc-jp"),
    "jp-st96": JP_ST96.encode(),
    "jp-st96-a": JP_ST96.replace(GRANTED, "UnexaminedPatentPublication").encode(),
    "jp-st96-p": JP_ST96.replace(GRANTED, "InternationalPatentPublication").encode(),
    "jp-st96-u": JP_ST96.replace(GRANTED, "RegisteredUtilityModelPublication").encode(),
}
