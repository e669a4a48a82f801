/// What is said in the demo: a letter in six languages, line by line.
enum Letter {
    /// The letter, one line a sentence.
    static let text = sentences.flatMap { $0 }.joined(separator: "\n")

    /// The first line, and how many follow.
    static let lines = sentences.flatMap { $0 }

    private static let sentences: [[String]] = [
        [
            "We meet on Saturday at seven, by the old gate.", "토요일 일곱 시에 옛 성문 앞에서 만나요.", "土曜日の七時に、古い門の前で会いましょう。",
            "Wir treffen uns am Samstag um sieben am alten Tor.",
            "On se retrouve samedi à sept heures près de la vieille porte.",
            "Nos vemos el sábado a las siete junto a la puerta vieja.",
        ],
        [
            "Bring a lamp 🏮 and nothing that beeps.", "등불 🏮 하나만 들고, 소리 나는 건 두고 오세요.", "提灯 🏮 を一つ、音の鳴るものは置いてきて。",
            "Bring eine Laterne 🏮 mit und nichts, was piept.", "Apporte une lanterne 🏮 et rien qui sonne.",
            "Trae un farol 🏮 y nada que haga ruido.",
        ],
        [
            "The soup will be hot until nine 🍲.", "국은 아홉 시까지 따뜻할 거예요 🍲.", "スープは九時まで温かいですよ 🍲。",
            "Die Suppe bleibt bis neun heiß 🍲.", "La soupe restera chaude jusqu'à neuf heures 🍲.",
            "La sopa estará caliente hasta las nueve 🍲.",
        ],
        [
            "My brother comes too; he does not know yet.", "오빠도 와요. 본인은 아직 몰라요.", "兄も来ます。本人はまだ知りません。",
            "Mein Bruder kommt auch; er weiß es noch nicht.", "Mon frère vient aussi ; il ne le sait pas encore.",
            "Mi hermano también viene; aún no lo sabe.",
        ],
        [
            "Do not tell the neighbours about the piano 🎹.", "이웃에게 피아노 🎹 이야기는 하지 마세요.", "近所の人にはピアノ 🎹 のことは内緒で。",
            "Sag den Nachbarn nichts vom Klavier 🎹.", "Ne parle pas du piano 🎹 aux voisins.",
            "No les digas a los vecinos lo del piano 🎹.",
        ],
        [
            "The key is under the third stone, as always.", "열쇠는 늘 그렇듯 세 번째 돌 밑에 있어요.", "鍵はいつものように三つ目の石の下です。",
            "Der Schlüssel liegt wie immer unter dem dritten Stein.",
            "La clé est sous la troisième pierre, comme toujours.",
            "La llave está bajo la tercera piedra, como siempre.",
        ],
        [
            "If it rains ☔, we stay in the kitchen.", "비가 오면 ☔ 부엌에 있을게요.", "雨なら ☔ 台所にいます。",
            "Wenn es regnet ☔, bleiben wir in der Küche.", "S'il pleut ☔, on reste dans la cuisine.",
            "Si llueve ☔, nos quedamos en la cocina.",
        ],
        [
            "Grandmother asked for the photograph from 1962.", "할머니가 1962년 사진을 찾으셨어요.", "祖母が一九六二年の写真を欲しがっています。",
            "Großmutter hat nach dem Foto von 1962 gefragt.", "Grand-mère a demandé la photo de 1962.",
            "La abuela pidió la fotografía de 1962.",
        ],
        [
            "I scanned it; it is the large picture below 🖼.", "스캔했어요. 아래 큰 그림이에요 🖼.", "スキャンしました。下の大きな絵です 🖼。",
            "Ich habe es eingescannt; es ist das große Bild unten 🖼.",
            "Je l'ai numérisée ; c'est la grande image ci-dessous 🖼.", "La escaneé; es la imagen grande de abajo 🖼.",
        ],
        [
            "Nobody but the three of us needs to see it.", "우리 셋 말고는 아무도 볼 필요 없어요.", "私たち三人以外、誰も見なくていい。",
            "Außer uns dreien muss es niemand sehen.", "Personne d'autre que nous trois n'a besoin de la voir.",
            "Nadie más que nosotros tres necesita verla.",
        ],
        [
            "The doctor says it is nothing serious.", "의사 말로는 심각한 건 아니래요.", "医者は大したことないと言っています。",
            "Die Ärztin sagt, es ist nichts Ernstes.", "Le médecin dit que ce n'est rien de grave.",
            "La doctora dice que no es nada serio.",
        ],
        [
            "Still, keep it between us for now 🤫.", "그래도 당분간 우리끼리만 알아요 🤫.", "でも今は内緒にしてください 🤫。",
            "Behaltet es trotzdem erst einmal für euch 🤫.", "Gardez-le quand même pour vous 🤫.",
            "De todos modos, que quede entre nosotros 🤫.",
        ],
        [
            "The contract is signed; the shop is ours 🎉.", "계약했어요. 이제 가게는 우리 거예요 🎉.", "契約しました。店は私たちのものです 🎉。",
            "Der Vertrag ist unterschrieben; der Laden gehört uns 🎉.",
            "Le contrat est signé ; la boutique est à nous 🎉.", "El contrato está firmado; la tienda es nuestra 🎉.",
        ],
        [
            "We paid less than they asked, and more than we had.", "부른 값보다 적게, 가진 돈보다 많이 냈어요.", "言い値より安く、持ち金より高く払いました。",
            "Wir haben weniger bezahlt als verlangt und mehr als wir hatten.",
            "On a payé moins que demandé, et plus que ce qu'on avait.",
            "Pagamos menos de lo que pedían y más de lo que teníamos.",
        ],
        [
            "The first customer was a cat 🐈.", "첫 손님은 고양이 🐈 였어요.", "最初のお客は猫 🐈 でした。",
            "Der erste Kunde war eine Katze 🐈.", "Le premier client était un chat 🐈.",
            "El primer cliente fue un gato 🐈.",
        ],
        [
            "It did not buy anything, but it stayed.", "아무것도 안 샀지만 가지도 않았어요.", "何も買わずに、居ついてしまいました。",
            "Sie hat nichts gekauft, aber sie ist geblieben.", "Il n'a rien acheté, mais il est resté.",
            "No compró nada, pero se quedó.",
        ],
        [
            "Write down the recipe before you forget it.", "잊기 전에 요리법을 적어 두세요.", "忘れる前にレシピを書いておいて。",
            "Schreib das Rezept auf, bevor du es vergisst.", "Note la recette avant de l'oublier.",
            "Anota la receta antes de que se te olvide.",
        ],
        [
            "Two spoons of paste, one of patience 🥄.", "된장 두 숟갈, 인내심 한 숟갈 🥄.", "味噌を二さじ、忍耐を一さじ 🥄。",
            "Zwei Löffel Paste, einer Geduld 🥄.", "Deux cuillères de pâte, une de patience 🥄.",
            "Dos cucharadas de pasta, una de paciencia 🥄.",
        ],
        [
            "The train leaves from platform four 🚆.", "기차는 4번 승강장에서 떠나요 🚆.", "電車は四番線から出ます 🚆。",
            "Der Zug fährt von Gleis vier 🚆.", "Le train part du quai quatre 🚆.", "El tren sale del andén cuatro 🚆.",
        ],
        [
            "I will wait in the last carriage.", "맨 뒤 칸에서 기다릴게요.", "最後尾の車両で待っています。", "Ich warte im letzten Wagen.",
            "J'attendrai dans la dernière voiture.", "Esperaré en el último vagón.",
        ],
        [
            "Carol must not learn where we go next.", "캐럴은 다음 목적지를 알면 안 돼요.", "キャロルに次の行き先を知られてはいけません。",
            "Carol darf nicht erfahren, wohin wir dann fahren.", "Carol ne doit pas savoir où nous allons ensuite.",
            "Carol no debe saber adónde vamos después.",
        ],
        [
            "It is her birthday, that is why 🎂.", "생일이라서 그래요 🎂.", "誕生日だからです 🎂。", "Weil sie Geburtstag hat 🎂.",
            "Parce que c'est son anniversaire 🎂.", "Porque es su cumpleaños 🎂.",
        ],
        [
            "The cake is hidden where the bread was.", "케이크는 빵이 있던 곳에 숨겼어요.", "ケーキはパンのあった場所に隠しました。",
            "Der Kuchen steht dort, wo das Brot war.", "Le gâteau est caché là où était le pain.",
            "El pastel está escondido donde estaba el pan.",
        ],
        [
            "Count the candles twice 🕯️🕯️.", "초는 두 번 세어 보세요 🕯️🕯️.", "ろうそくは二回数えて 🕯️🕯️。", "Zähl die Kerzen zweimal 🕯️🕯️.",
            "Compte les bougies deux fois 🕯️🕯️.", "Cuenta las velas dos veces 🕯️🕯️.",
        ],
        [
            "Thank you for the book you lent me.", "빌려준 책 고마워요.", "貸してくれた本、ありがとう。",
            "Danke für das Buch, das du mir geliehen hast.", "Merci pour le livre que tu m'as prêté.",
            "Gracias por el libro que me prestaste.",
        ],
        [
            "I read the last chapter twice and cried once 😢.", "마지막 장을 두 번 읽고 한 번 울었어요 😢.", "最終章を二度読み、一度泣きました 😢。",
            "Das letzte Kapitel habe ich zweimal gelesen und einmal geweint 😢.",
            "J'ai lu le dernier chapitre deux fois et pleuré une fois 😢.",
            "Leí el último capítulo dos veces y lloré una 😢.",
        ],
        [
            "The garden gate needs oil.", "정원 문에 기름을 쳐야 해요.", "庭の門に油を差さないと。", "Das Gartentor braucht Öl.",
            "Le portail du jardin a besoin d'huile.", "La puerta del jardín necesita aceite.",
        ],
        [
            "The swallows came back on Tuesday.", "화요일에 제비가 돌아왔어요.", "火曜日につばめが帰ってきました。",
            "Am Dienstag sind die Schwalben zurückgekommen.", "Les hirondelles sont revenues mardi.",
            "Las golondrinas volvieron el martes.",
        ],
        [
            "I have a secret of my own, but not for paper.", "나에게도 비밀이 있지만, 종이에 쓸 건 아니에요.", "私にも秘密がありますが、紙には書けません。",
            "Ich habe selbst ein Geheimnis, aber nicht für Papier.", "J'ai aussi un secret, mais pas pour le papier.",
            "Yo también tengo un secreto, pero no para el papel.",
        ],
        [
            "Perhaps for this room 💬.", "어쩌면 이 방에서라면 💬.", "この部屋でなら、もしかすると 💬。", "Vielleicht für diesen Raum 💬.",
            "Peut-être pour cette pièce 💬.", "Quizá para esta sala 💬.",
        ],
        [
            "The new neighbour plays the cello at night.", "새 이웃은 밤에 첼로를 켜요.", "新しい隣人は夜にチェロを弾きます。",
            "Der neue Nachbar spielt nachts Cello.", "Le nouveau voisin joue du violoncelle la nuit.",
            "El nuevo vecino toca el violonchelo de noche.",
        ],
        [
            "It is beautiful and far too loud 🎻.", "아름답지만 너무 시끄러워요 🎻.", "美しいけれど、うるさすぎます 🎻。",
            "Es ist schön und viel zu laut 🎻.", "C'est beau et beaucoup trop fort 🎻.",
            "Es hermoso y demasiado ruidoso 🎻.",
        ],
        [
            "Vote for the bakery on the corner.", "모퉁이 빵집에 한 표 주세요.", "角のパン屋に一票を。",
            "Stimmt für die Bäckerei an der Ecke.", "Votez pour la boulangerie du coin.",
            "Voten por la panadería de la esquina.",
        ],
        [
            "Delete nothing; we may want to remember.", "아무것도 지우지 마세요. 기억하고 싶을지도 몰라요.", "何も消さないで。思い出したくなるかも。",
            "Löscht nichts; vielleicht wollen wir uns erinnern.",
            "N'efface rien ; nous voudrons peut-être nous souvenir.", "No borres nada; quizá queramos recordarlo.",
        ],
        [
            "Good night, and close the window.", "잘 자요. 창문 닫는 것 잊지 말고.", "おやすみ。窓を閉めてね。",
            "Gute Nacht, und mach das Fenster zu.", "Bonne nuit, et ferme la fenêtre.",
            "Buenas noches, y cierra la ventana.",
        ],
        [
            "Your friend, who writes too much 💌.", "말이 너무 많은 친구가 💌.", "書きすぎの友より 💌。",
            "Deine Freundin, die zu viel schreibt 💌.", "Ton amie, qui écrit trop 💌.",
            "Tu amiga, que escribe demasiado 💌.",
        ],
    ]
}
