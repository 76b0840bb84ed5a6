"""Stop words of English, German, French and Japanese, a small and a large list each.

The published lists of 52 and 543 English words are not available word for word; these have the same sizes. Words
are written as the tokenizers leave them: lower case, without apostrophes ("don", "t").
"""

from kakehashi.errors import InputError

_SMALL = {
    "en": """
        a an the this that these those and or but not no if then than as of in on at by for from to with
        into is are was were be been has have had will would can it its he she they we you i her
        their which who s t""",
    "de": """
        der die das den dem des ein eine einen einem einer eines und oder aber nicht wenn als auch so
        daß dass in im an am auf aus bei mit nach von vom vor zu zum zur für durch über um ist sind war
        waren wird werden wurde wurden hat haben kann es er sie ihr sich ich wir man""",
    "fr": """
        le la les l un une des d de du au aux et ou mais ne n pas si que qu comme à dans en par pour sur
        avec sans est sont être a ont été était c ce cet cette ces il elle ils elles on nous vous je j
        se s son sa ses leur qui""",
    "ja": """
        は が を に へ と で の も や か から まで より た て だ な れ さ し い ある いる する れる られ
        られる せる ない なっ なる ます です こと もの ため よう とき これ それ この その ここ そこ また
        および 及び または 又は""",
}

_LARGE = {
    "en": """
        his there d m ll re ve don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn
        mustn needn mightn shan cannot ain me my mine myself our ours ourselves your yours yourself
        yourselves him himself hers herself itself them theirs themselves us one ones oneself whose whom
        what whoever whatever whichever whomever someone somebody something anyone anybody anything
        everyone everybody everything nobody nothing none each every either neither both all any some
        few many much more most less least several various other others another such same own enough
        else am being do does did doing done having could should might must shall ought need needs
        needed used get gets getting got gotten go goes going gone went come comes coming came make
        makes making made take takes taking took taken give gives giving gave given put puts putting
        keep keeps kept let lets say says saying said see sees seeing saw seen seem seems seemed seeming
        show shows showed shown showing know knows knew known think thinks thought want wants wanted
        look looks looked looking use uses using find finds found tell tells told ask asks asked try
        tries tried trying become becomes became becoming provide provides provided providing include
        includes included including comprise comprises comprised comprising so may consist consists
        consisting consisted regarding concerning described about above across after afterwards against
        along alongside amid among amongst around away because before beforehand behind below beneath
        beside besides between beyond despite down during except excluding following inside like near
        off onto opposite out outside over past per since through throughout till toward towards under
        underneath unlike until up upon versus via whereas within without although though unless while
        whilst whether lest nor yet however therefore thus hence thereby therein thereof thereto thereon
        thereafter therefrom thereupon hereby herein hereof hereto hereafter hereinafter hereupon
        whereby wherein whereof whereupon whereafter wherever whenever whence whither thence thither
        elsewhere everywhere nowhere somewhere anywhere anyhow anyway anyways somehow somewhat sometime
        sometimes moreover furthermore nevertheless nonetheless otherwise instead meanwhile accordingly
        consequently namely indeed how when where why here now ever never always often seldom rarely
        usually generally normally mostly mainly largely merely only just even still already almost
        nearly quite rather very too also again once twice thrice soon later latter former formerly
        lately recently currently previously subsequently presently immediately finally lastly
        eventually together altogether alone perhaps maybe possibly probably certainly surely clearly
        obviously apparently simply actually really truly fully entirely wholly partly partially
        slightly greatly particularly especially specifically respectively correspondingly similarly
        likewise relatively approximately substantially essentially basically necessarily directly
        exactly further far farther well better best able unable likely unlikely certain different
        similar particular general corresponding respective appropriate new first second third fourth
        fifth last next previous two three four five six seven eight nine ten eleven twelve way ways
        thing things kind kinds sort sorts case cases example examples instance plurality etc ie eg viz
        al vs ok okay oh yes please""",
    "de": """
        derer denen dessen deren dieser diese dieses diesen diesem jener jene jenes jenen jenem welcher
        welche welches welchen welchem solcher solche solches solchen solchem derselbe dieselbe dasselbe
        derselben desselben demselben dieselben derjenige diejenige dasjenige denjenigen derjenigen
        diejenigen kein keine keinen keinem keiner keines mein meine meinen meinem meiner meines dein
        deine deinen deinem deiner sein seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres
        unser unsere unseren unserem unserer unseres euer eure euren eurem eurer du mich mir dich dir
        ihn ihm uns euch ihnen selbst selber einander jemand niemand etwas nichts alles alle allen allem
        aller jeder jede jedes jeden jedem jeweils jeweilige jeweiligen jeweiliger manche mancher
        manches manchen einige einiger einigen einiges mehrere mehreren mehrerer viele vielen vieler
        viel wenig wenige wenigen weniger beide beiden beider andere anderen anderer anderes anderem
        irgend wer wen wem wessen was bin bist seid sei seien wäre wären gewesen warst habe hast hatte
        hatten hätte hätten gehabt werde wirst würde würden worden geworden kannst können könnte könnten
        konnte konnten muss muß müssen musste mussten müsste müssten darf dürfen durfte dürfte soll
        sollen sollte sollten will wollen wollte wollten mag mögen möchte möchten lassen läßt lässt ließ
        gibt geben gab macht machen tun tut geht gehen kommt kommen steht stehen liegt liegen bleibt
        bleiben ab außer außerhalb bis dank entlang entgegen gegen gegenüber gemäß hinter hinein
        innerhalb jenseits mittels neben oberhalb ohne samt seit statt anstatt trotz unter unterhalb
        während wegen wider zwischen zufolge hinsichtlich bezüglich aufgrund anhand mithilfe beim ins
        ans aufs fürs durchs übers ums ob obwohl obgleich weil da damit denn sondern sowie sowohl weder
        noch entweder falls sofern soweit solange sobald indem nachdem bevor ehe wobei wodurch womit
        worin woran worauf woraus wofür wovon wozu wonach weshalb weswegen wo woher wohin wann warum wie
        wieso je desto umso dabei dadurch dafür dagegen daher dahin danach daneben daran darauf daraus
        darin darüber darum darunter davon davor dazu dazwischen hierbei hierdurch hierfür hiermit
        hiernach hierin hieraus hierzu hier dort jetzt nun dann einst immer nie niemals oft häufig
        manchmal meist meistens meisten stets wieder bereits schon erst nur bloß lediglich allein sehr
        ganz ziemlich etwa fast nahezu kaum mehr mindestens höchstens wenigstens zumindest insbesondere
        besonders nämlich also folglich somit demnach deshalb deswegen trotzdem dennoch jedoch doch
        allerdings hingegen vielmehr zudem außerdem ferner weiter weiterhin weitere weiteren weiterer
        weiteres ebenfalls ebenso gleichfalls zugleich gleichzeitig sonst anderenfalls andernfalls
        überhaupt eben gerade sogar zwar wohl vielleicht möglicherweise wahrscheinlich gegebenenfalls ja
        nein bitte danke erste ersten erster erstes zweite zweiten zweiter zweites dritte dritten
        dritter drittes letzte letzten eins zwei drei vier fünf sechs sieben acht neun zehn bzw usw etc
        vgl ggf evtl ca sog bspw z b d h u a o s heißt gemacht""",
    "fr": """
        m t y jusqu lorsqu puisqu quoiqu presqu quelqu ci là ça cela ceci celui celle ceux celles tu te
        toi me moi lui eux soi même mêmes leurs mon ma mes ton ta tes notre nos votre vos mien mienne
        tien sien sienne nôtre vôtre quoi dont où quel quelle quels quelles lequel laquelle lesquels
        lesquelles duquel desquels desquelles auquel auxquels auxquelles quelque quelques quelconque
        quiconque chacun chacune chaque aucun aucune nul nulle tout toute tous toutes tel telle tels
        telles autre autres autrui plusieurs certain certaine certains certaines divers diverses
        personne rien suis es sommes êtes étais étaient étions fut furent serait seraient sera seront
        soit soient étant fus ai as avons avez avait avaient avais aura auront aurait auraient ait aient
        ayant eu eut fait faire font faisant faisait fera feront peut peuvent pouvait pouvaient pourra
        pourrait pourraient pouvoir doit doivent devait devrait devraient devoir va vont aller allait
        veut veulent voulait vouloir voudrait faut fallait faudra permet permettent permettant met
        mettre dit dire sait savoir voit voir vient venir afin ainsi alors après auprès aussi autant
        autour avant car cependant chez contre côté deçà dedans dehors delà depuis derrière dès
        désormais dessous dessus devant donc durant encore enfin ensuite entre envers environ hormis
        hors jusque loin lors lorsque malgré moyennant néanmoins ni non nonobstant outre parce parmi
        pendant plus plutôt près pourtant pourquoi puis puisque quand quant quoique sauf selon sinon
        sitôt sous suivant tandis tant tantôt tard tôt toujours toutefois travers trop très vers via
        voici voilà vis comment combien ici ailleurs partout jamais souvent parfois quelquefois déjà
        maintenant aujourd'hui hier demain bientôt aussitôt peu beaucoup assez moins mieux bien mal
        presque seulement seul seule seuls seules surtout notamment également particulièrement
        respectivement sensiblement essentiellement généralement exactement simplement vraiment
        peut-être or oui premier première premiers premières deuxième second seconde troisième dernier
        dernière derniers dernières deux trois quatre cinq six sept huit neuf dix partir lieu fois cas
        façon manière exemple etc p ex cf chose choses susdit susdite ledit ladite lesdits lesdites
        dudit audit""",
    "ja": """
        ば ず ん ぬ つ つつ ながら たり だり なら たら ので のに けれど けれども ても でも では には
        とは への での からの までの との ね よ ぞ わ さえ すら しか だけ のみ ばかり ほど くらい ぐらい
        など なんか なんて こそ とも なり やら だの とか って じゃ という といった とした として
        とともに と共に について による により によって において における に対して に対し に対する
        に関して に関し に関する にて にとって にわたって に従って に従い に基づいて に基づき に基づく
        を通じて を介して をもって をめぐって う らしい そう みたい まい べき はず わけ ところ つもり
        うち ほう 方 ほか 他 うえ 上記 下記 前記 当該 該 同 各 本 両 全て すべて それぞれ おのおの 各々
        夫々 互い 互いに あっ あり あろ あれ いっ いう いえ いろ おり おる おい おき おく せ そ しよ
        しまう しまっ す できる でき できれ なけれ なく なかっ なし なろ なれ なき だっ だろ でし でしょ
        まし ませ ましょ たい たく たかっ られれ れれ せれ させ させる さす なさい ください 下さい
        いただく いただき もらう もらっ くれる くれ くる くれれ き 来る いく 行く みる み 見る これら
        それら あれら あの どの どれ どこ あそこ こちら そちら あちら どちら こう ああ どう こんな
        そんな あんな どんな このよう そのよう ここで そこで なぜ いつ だれ 誰 なに 何 いくつ いくら
        幾つ 私 僕 俺 彼 彼女 彼ら あなた 我々 われわれ 自分 自身 そして それで それに それから しかし
        しかも だが だから ただし 但し なお 尚 すなわち 即ち つまり 例えば たとえば さらに 更に もしくは
        若しくは あるいは 或いは かつ 且つ ならびに 並びに ゆえに 故に したがって 従って よって 因みに
        ちなみに ところで ところが むしろ もっとも とりわけ 特に 主に 主として 単に もし もしも まず
        先ず 次に 次 まだ もう すでに 既に やがて すぐ 常に いつも 時々 たびたび しばしば 非常に とても
        かなり やや 少し もっと 最も いわゆる 或る あらゆる いかなる 如何なる 物 事 時 際 場合 為 様 点
        中 内 間 後 前 上 下 以下 以上 以外 等 的 性 化 用""",
}

# The large list includes the small one.
STOP_LISTS = {
    lang: {
        "small": frozenset(_SMALL[lang].split()),
        "large": frozenset((_SMALL[lang] + " " + _LARGE[lang]).split()),
    }
    for lang in _SMALL
}


def stop_list(lang: str, size: str) -> frozenset[str]:
    """The small or large list of a language; `none` is an empty list."""
    if size == "none":
        return frozenset()
    if lang not in STOP_LISTS:
        raise InputError(f"there is no {size} stop list for '{lang}': set stop = none or stop = induced")
    return STOP_LISTS[lang][size]
