"""Corrections of place names that an edit of a letter or two does not connect; applies none of them.

Keys are names as normalised by `geography`: lower case without accents, punctuation, numbers and kinds of places.
"""

from collections.abc import Mapping

# a city's name in another language, another transcription or another time -> one name for it
CITIES: Mapping[str, str] = {
    # German, Austrian and Swiss cities, with the vowels written out or not
    "munchen": "munich",
    "muenchen": "munich",
    "monaco di baviera": "munich",
    "koln": "cologne",
    "koeln": "cologne",
    "nurnberg": "nuremberg",
    "nuernberg": "nuremberg",
    "aix la chapelle": "aachen",
    "karl marx": "chemnitz",
    "wien": "vienna",
    "genf": "geneva",
    "basle": "basel",
    "bale": "basel",
    "luzern": "lucerne",
    "neuenburg": "neuchatel",
    "biel": "bienne",
    # Romance languages
    "torino": "turin",
    "firenze": "florence",
    "venezia": "venice",
    "napoli": "naples",
    "mulhausen": "mulhouse",
    "muelhausen": "mulhouse",
    "bucuresti": "bucharest",
    "ciudad de mexico": "mexico",
    # the Low Countries and the North
    "den haag": "the hague",
    "s gravenhage": "the hague",
    "bruxelles": "brussels",
    "antwerpen": "antwerp",
    "anvers": "antwerp",
    "brugge": "bruges",
    "luik": "liege",
    "luttich": "liege",
    "louvain": "leuven",
    "kobenhavn": "copenhagen",
    "goteborg": "gothenburg",
    "trondhjem": "trondheim",
    "helsingfors": "helsinki",
    "tammerfors": "tampere",
    "esbo": "espoo",
    "vanda": "vantaa",
    "abo": "turku",
    # the East of Europe
    "praha": "prague",
    "prag": "prague",
    "brunn": "brno",
    "bruenn": "brno",
    "pressburg": "bratislava",
    "warszawa": "warsaw",
    "warschau": "warsaw",
    "krakow": "cracow",
    "breslau": "wroclaw",
    "danzig": "gdansk",
    "laibach": "ljubljana",
    "beograd": "belgrade",
    "athinai": "athens",
    "moskva": "moscow",
    "moskau": "moscow",
    "leningrad": "saint petersburg",
    "gorky": "nizhny novgorod",
    "sverdlovsk": "yekaterinburg",
    "kyiv": "kiev",
    # Asia
    "bombay": "mumbai",
    "madras": "chennai",
    "calcutta": "kolkata",
    "bangalore": "bengaluru",
    "poona": "pune",
    "peking": "beijing",
    "xinzhu": "hsinchu",
    "gaoxiong": "kaohsiung",
    "taizhong": "taichung",
    "taejon": "daejeon",
    "kyonggi": "gyeonggi",
    "kyungki": "gyeonggi",
    "kyunggi": "gyeonggi",
    "saigon": "ho chi minh",
    "kefar sava": "kfar saba",
    "tel aviv yafo": "tel aviv",
    # Japanese names in the spelling of the law, or with their long vowels
    "tokyo to": "tokyo",
    "toukyou": "tokyo",
    "hokkai": "hokkaido",
    "tiba": "chiba",
    "aiti": "aichi",
    "koti": "kochi",
    "totigi": "tochigi",
    "yamaguti": "yamaguchi",
    "hukusima": "fukushima",
    "hatiozi": "hachioji",
    "hutyu": "fuchu",
    # the United States
    "nyc": "new york",
    "phila": "philadelphia",
    "mt view": "mountain view",
    "mtn view": "mountain view",
    "rtp": "research triangle park",
}

# short forms of words inside a name
WORDS: Mapping[str, str] = {
    "st": "saint",
    "sankt": "saint",
    "ft": "fort",
    "mt": "mount",
    "hts": "heights",
    "spgs": "springs",
    "n": "north",
    "s": "south",
    "e": "east",
    "w": "west",
}

# Japanese prefectures and the cities that are governed like them
JAPANESE: Mapping[str, str] = {
    "北海道": "hokkaido", "青森県": "aomori", "岩手県": "iwate", "宮城県": "miyagi", "秋田県": "akita",
    "山形県": "yamagata", "福島県": "fukushima", "茨城県": "ibaraki", "栃木県": "tochigi", "群馬県": "gunma",
    "埼玉県": "saitama", "千葉県": "chiba", "東京都": "tokyo", "神奈川県": "kanagawa", "新潟県": "niigata",
    "富山県": "toyama", "石川県": "ishikawa", "福井県": "fukui", "山梨県": "yamanashi", "長野県": "nagano",
    "岐阜県": "gifu", "静岡県": "shizuoka", "愛知県": "aichi", "三重県": "mie", "滋賀県": "shiga",
    "京都府": "kyoto", "大阪府": "osaka", "兵庫県": "hyogo", "奈良県": "nara", "和歌山県": "wakayama",
    "鳥取県": "tottori", "島根県": "shimane", "岡山県": "okayama", "広島県": "hiroshima", "山口県": "yamaguchi",
    "徳島県": "tokushima", "香川県": "kagawa", "愛媛県": "ehime", "高知県": "kochi", "福岡県": "fukuoka",
    "佐賀県": "saga", "長崎県": "nagasaki", "熊本県": "kumamoto", "大分県": "oita", "宮崎県": "miyazaki",
    "鹿児島県": "kagoshima", "沖縄県": "okinawa",
    "札幌市": "sapporo", "仙台市": "sendai", "さいたま市": "saitama", "千葉市": "chiba", "横浜市": "yokohama",
    "川崎市": "kawasaki", "相模原市": "sagamihara", "新潟市": "niigata", "静岡市": "shizuoka", "浜松市": "hamamatsu",
    "名古屋市": "nagoya", "京都市": "kyoto", "大阪市": "osaka", "堺市": "sakai", "神戸市": "kobe",
    "岡山市": "okayama", "広島市": "hiroshima", "北九州市": "kitakyushu", "福岡市": "fukuoka", "熊本市": "kumamoto",
}  # fmt: skip

# codes of former states, for the one that took over their patents; and codes used besides the standard's
COUNTRIES: Mapping[str, str] = {
    "SU": "RU", "DD": "DE", "CS": "CZ", "YU": "RS", "ZR": "CD", "BU": "MM", "TP": "TL", "UK": "GB", "EL": "GR",
}  # fmt: skip

# names used where a code is usual
STATES: Mapping[str, str] = {
    "alabama": "AL", "alaska": "AK", "arizona": "AZ", "arkansas": "AR", "california": "CA", "calif": "CA",
    "colorado": "CO", "connecticut": "CT", "delaware": "DE", "district of columbia": "DC", "florida": "FL",
    "georgia": "GA", "hawaii": "HI", "idaho": "ID", "illinois": "IL", "indiana": "IN", "iowa": "IA",
    "kansas": "KS", "kentucky": "KY", "louisiana": "LA", "maine": "ME", "maryland": "MD", "massachusetts": "MA",
    "mass": "MA", "michigan": "MI", "minnesota": "MN", "mississippi": "MS", "missouri": "MO", "montana": "MT",
    "nebraska": "NE", "nevada": "NV", "new hampshire": "NH", "new jersey": "NJ", "new mexico": "NM",
    "new york": "NY", "north carolina": "NC", "north dakota": "ND", "ohio": "OH", "oklahoma": "OK", "oregon": "OR",
    "pennsylvania": "PA", "puerto rico": "PR", "rhode island": "RI", "south carolina": "SC", "south dakota": "SD",
    "tennessee": "TN", "texas": "TX", "utah": "UT", "vermont": "VT", "virgin islands": "VI", "virginia": "VA",
    "washington": "WA", "west virginia": "WV", "wisconsin": "WI", "wyoming": "WY", "guam": "GU",
}  # fmt: skip
