/// The 2,048 words of generated room keys (Protocol.md section 3): eight of them have 88 bits, 80 random ones and a checksum.
///
/// Each has 3 to 6 letters. The first four letters name a word, and one letter more, less or other makes none of another.
enum RoomKeyWords {
    /// In letters.
    static let longest = 6

    /// The words in order, each in the high bytes of an integer, so that integers are in the words' order.
    static let packed: [UInt64] = text.split(whereSeparator: \.isWhitespace).map { word in
        word.utf8.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - word.utf8.count))
    }

    /// The place of a word in the list; nil for another word.
    static func index(of word: UInt64) -> Int? {
        var (low, high) = (0, packed.count)
        while low < high {
            let middle = (low + high) / 2
            if packed[middle] < word { low = middle + 1 } else { high = middle }
        }
        return low < packed.count && packed[low] == word ? low : nil
    }

    /// The letters of a word.
    static func letters(of word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }.filter { $0 > 0 }
    }

    /// The word that was probably meant: the first of the nearest, with two changed letters at most.
    static func nearest(to typed: UInt64) -> String? {
        var best = (distance: 3, word: UInt64(0))
        for word in packed {
            let distance = distance(typed, word)
            if distance < best.distance { best = (distance, word) }
        }
        return best.distance < 3 ? String(decoding: letters(of: best.word), as: UTF8.self) : nil
    }

    /// Insertions, deletions and replacements of letters that make one word of the other. On the stack, because a typed word
    /// is a part of a key.
    private static func distance(_ left: UInt64, _ right: UInt64) -> Int {
        var row: InlineArray<9, Int> = InlineArray { $0 }
        let columns = length(right)
        for line in 0..<length(left) {
            var diagonal = row[0]
            row[0] = line + 1
            for column in 0..<columns {
                let cost = letter(left, line) == letter(right, column) ? 0 : 1
                let best = min(diagonal + cost, row[column] + 1, row[column + 1] + 1)
                (diagonal, row[column + 1]) = (row[column + 1], best)
            }
        }
        return row[columns]
    }

    private static func letter(_ word: UInt64, _ place: Int) -> UInt64 { word >> UInt64(56 - 8 * place) & 255 }

    private static func length(_ word: UInt64) -> Int { word == 0 ? 0 : 8 - word.trailingZeroBitCount / 8 }

    private static let text = """
        abide aboard about above abrupt absent absorb accent accord acorn acre across action actor actual adagio adapt
        add adhere adjust admire adobe adult advent advice aerial affair affirm afford afloat after again agate age
        agenda agile aging agree ahead aim aisle alarm albeit album alcove alder alert algae alias alibi alien alike
        alloy almond aloha alone alpaca alpine also altar always amaze amber amble amend amid among amount amulet
        amuse anchor anew animal ankle annex annual anorak answer ant anthem antics antler anvil anyhow apart apathy
        apex appeal apply april apron aqua arable arcade arch arctic ardent area argon argue arise armada armor army
        aroma around array arrive arrow artist ascend ashore ask asleep aspect aspire asset assist assume asthma
        astray asylum atlas atom atrium attach attend attic auburn audio auger august aura author auto autumn avatar
        avenue avoid awake award away awning axiom axis axle azalea azure baby backup badger bag bagel baggy baker
        ballad balm bamboo banana band banjo barber bark barley baron barrel basalt base basic basket bath bayou
        bazaar beacon beagle beam beard beauty beaver become bed beech beef beetle before beggar begin behave behind
        beige belfry belief belly belong belt beret berry beside beyond bezel biceps bifold bike bill binary birch
        bird bison bistro bit black blade blast blazer blend bless blimp blink bloom blotch blouse blue bluff blunt
        blurb blush boat bobbin body boggle boil bold bonnet bonus bookie boost border borrow botany bottom bounce
        bowler box boxer braid brake brandy brass brazen break breezy brew brick bride brief bright brim bring broad
        broker bronze brook broth brown bubble bucket budget buffet bugle build bulb bumper bundle bunker bunny burden
        bureau burger burn burst bushel bustle busy button buyer buyout buzz bypass byte cabin cable cactus caddie
        cadet cafe calf camel canal cancel candle canopy canvas canyon caper carafe carbon caress cargo carol carpet
        carrot cashew casino castle casual cat catch caucus cedar celery cell cement census center cereal chaff chair
        chalet champ chance charm chase chatty cheap check cheer cherry chess chew chief child chime chin choice
        choose chorus chrome chunk cider cigar cinema cipher circle citrus city civic claim clammy clap class clean
        clerk clever click client cliff climb clinic cloak close cloth cloud clown club clump coach coast cobalt cobra
        cobweb cocoa code coffee collie colony colt column comb comedy comfy comic comma compel confer coping copper
        copy coral cord corner cosmos cotton cougar county couple course cousin cow cowboy coyote crab cradle cranny
        crater crawl crayon create credit creek crepe crest crisp critic croft crop crouch crowd crumb crunch cube
        cubic cuckoo cuddle cuff cumin cup cupid curb curfew curry cursor curve custom cutlet cyan cyborg cycle cygnet
        cymbal dabble dad daily dainty damp dance danger daring dart dash data dawdle dawn daybed dazzle dean debate
        debit debug decade decent decor deed defer define degree delay delta deluxe delve demand demure denim dense
        dental deny depart depend depot depth deputy derby deride desert design desk detach detect detour device
        devote dew dial diary diesel diet differ dig digest digit dime dimple dinghy dinner dipper direct disc ditch
        divert divide dizzy dock doctor dodge dollar domain domino donate donkey door dot double dough dowry dozen
        dragon drain drama drapes draw dream dredge drift drill drink drive drone drowsy drum dry dryer ducat duffel
        dugout duke dulcet dull duo duplex dusky dust duty dynamo each eager early earth earwig easel easily easy
        eatery echo eclair edge edible editor eel eerie effect effort egg eighth either elapse elbow eldest eleven
        elfin elixir elk elope else elude email embark embed emblem embryo emerge employ empty enable enamel encore
        end endow endure energy engage engine engulf enigma enjoy enlist enough enrich entire envy epic epoch equal
        equip era erase ermine erode errand error escape escort essay estate esteem ethic event ever evict evolve
        exact exam excel excite excuse exempt exert exhale exist exotic expand expect extend extra exult eye eyelid
        fabled fabric fact fade fairy faith falcon fall false family famous fan fancy farmer fathom faucet fault feast
        fee feline fence fender fennel fern ferret fervor fetch fiance fiber fiddle field fierce fiesta fifty figure
        file filter final finger finish firm first fish fizzle flag flair flank flare flash flavor fleece flex flight
        flimsy flinch flip flock flood flora flossy flour flower fluent fluid flurry flute fly foam focus fog foggy
        foible follow fondue font footer forage force forest forget fork format forty forum fossil fought foyer frame
        freeze fresco friend fringe from frost frozen frugal fudge fuel fund fungus fur fusion futile future fuzzy
        gadget gaffer gaiety galaxy gallop game garage garden garlic garnet gas gateau gather gauge gazebo geared
        gecko gem genius gentle geyser giant gift giggle ginkgo girl give gizmo glad glance glaze gleam glider glint
        gloat globe glory gloss gnash gnome goal gobble goblet golden good goose gopher gorge gossip govern gown grade
        grand graph grasp gravy great greedy grid gritty grocer groggy groove group grow guard guava guess guide
        guinea guitar gulf gully guppy guru gusto gutter gypsum gyrate habit haiku hail halo halter ham hamlet hamper
        handy hang happen harbor hardly harp hasten have hawk hazard hazel heal heart heater hectic heifer height heir
        helium hello helmet helper hen herald herb heron hiatus hiccup hidden higher hinder hinge hint hippo hire
        hockey honest honor hoof hope hornet host hotel hound hour house hover howdy hub huge human humble humid
        hummus humor hungry hunter hurdle hybrid hydra hyena hyphen ibex ice icicle icon idea idling igloo ignite
        iguana image immune impact impede import inborn inch income index indigo indoor infant infer inform inhale
        inject inlet inmate inn input inside instep insure intact intent into invest invite invoke ionic iris island
        issue italic item itself ivory ivy jagged jaguar jaw jazz jeans jeep jersey jester jet jewel jiffy jigsaw
        jingle jitter job jogger join joke jolly jovial juggle juice july jumbo jump june junior kaftan kale karate
        kayak kebab kelp kelvin kernel kettle key kid kidney kilt kimono kindle king kiosk kite kitten kiwi knave
        knead knee knight knit knock knoll know koala label labor lace ladder ladle lagoon lamb laptop lard large
        laser lasso laugh launch laurel lava lavish lazy leader leaf league leaky learn leash ledger leek left legacy
        legend legion lemon length lens lentil lesson letter level levy liable lichen life lifted lilac lily limit
        linden lintel lion liquid listen little lively lizard llama loan loathe lobby locket locust lofty logic logo
        lonely loomed loop lotion lotus lounge love lucid lucky lunar lung lure luxury lychee lynx lyric macaw magic
        magma magnet magpie maiden main maize major mammal mango manner mantle manual many maple maraca marble margin
        marina market marmot maroon marry marsh marvel mascot mashed mason mast mate matrix matter mature meadow media
        medley meet mellow melody member memo mentor menu mercy merit mesh metal meteor method metro midst might
        mildew milk mimic mimosa mince mind minus mirage mirror misfit mix mixer mobile mocha model modify module
        mohair moist moment monday money month moon mop mortar moss motif motor mottle mousse mud muesli muffin mulch
        mule mullet murmur muscle museum music muslin mussel mutual muzzle myrtle myself mystic myth nacho namely
        nanny nap napkin nation navy near nebula neck nectar nephew nerve news newton next nexus nibble nickel nimbus
        ninety ninja noble nod noise nomad noodle nook normal north notch notice nougat noun novel nozzle nugget
        number nurse nut nutmeg nylon nymph oar oasis object oblong oboe obtain ocean ocelot octave oddity odor off
        offer office offset often okay olive omega omelet omit once onion online only onset onward onyx oodles opal
        opaque opera oppose option oracle orange orbit orchid organ orient origin ornate osprey other outcry outer
        outfit outing output overt owlet owner oxbow oxen oxide oxygen oyster ozone pack paddle pagoda paint pair
        pajama palace panda panel panic papaya parade parcel pardon parent party pass pasta patrol pause peachy peak
        peanut pearl pebble pecan pedal peer pellet pencil peony people pepper peptic perch period permit person
        pestle petite phone photo phrase piano pickax picnic piece pigeon pilaf pillar pincer pink pipe pippin piston
        pithy pivot pixel pizza plaid planet plasma plate play plaza plead pledge plenty plot plover pluck plume
        plural plus podium poem poetic poker police polka pollen polo pomelo poncho pond pool poplar poppy porous port
        pose possum postal potato pouch powder praise prance preach prefer press pretty price priory prism profit
        prompt proof propel proud prove prowl prune public puffy pulley pulp pulse puma pumice punch pupil puppet
        purify purple push python quack quail quake qualm quart quaver queen query quest queue quiet quill quince
        quirk quiz quota rabbit racket radar radish raft raisin rally ranch random rank rapid rare ratio rattan raven
        ravine ray razor react ready realm reason recall recipe record redeem reduce reflex reform refuge regal regret
        relax relic rely remark remedy remind remote renew rent repair repeat rescue resin resort result retail retire
        return reveal review reward rhino rhyme rhythm rib ribbon rich ridge rigid rinse ripen ripple risk ritual
        rival river robe robin robot robust rodeo roll roman romp room roster rotate route royal rubber ruby rudder
        ruffle rug ruin ruler rumba runner rural rustic saber sachet safari safety saga sailor salad saline salmon
        salsa salt salute samba sample sandal sashay satin saturn sauce sauna savor saxony scale scarf scene scheme
        school scope scorch scout scrap screen script scroll scrub scuba sculpt search seat second secret secure sedan
        seeker select self senate senior sentry sequel serene series sermon sesame seven shadow shaggy shanty shape
        shark shawl sheath shed sheet shelve shield shift shine shiver shoal shock shoe short shovel shower shrewd
        shrimp shroud shrug shut shy siege sierra sigh signal silo silver simmer siphon siren sister sixth size skate
        sketch skewer ski skiff skill skirt slab slalom sleeve sleigh slide slogan slow sluice small smart smile smoke
        smooth smudge snack snail snake snappy sneeze snooze soap soccer social soda soft solace solemn solid solve
        some sonata song soothe sorbet sorrel soul source south spade spawn spear spell spend sphere spice spider
        spigot spin spiral splash spoil sponge spoon sporty spot spouse spray spread spring sprout spruce spur square
        squint staff stage stair stand staple statue stay steak steel steppe stereo stew stick sting stitch stoic stop
        storm stove straw stream strike strong strum studio stump stunt sturdy style subway such sudden suede suffix
        sugar suit summit sun sunday sunset super supply surf surge survey sushi swamp swan swarm sweep swim swirl
        swivel swoop sword symbol syntax syrup system tabby tablet taco take talcum talent talk tamale tandem tangle
        tanker tardy target tarmac tartan tassel taste tattoo tavern tawny taxi tea teddy teeth tempo tenant tendon
        tennis tenor term test thank thatch thaw theme theory thesis thick thing third thorn those thrall thread
        thrift throat thrush thumb tiara ticket tide tiger timber timid tinsel tiny tip tiptoe tirade titan title toad
        today toddle toga token tomato tone tongue tooth topaz topic torch total totem totter toucan toward tower toy
        track tragic trait tram travel treaty treble trek trend trial trio tripod trivia troika troop trophy trot
        trowel true trunk trusty truth tuber tuck tulip tuna tundra tunic tunnel turban turnip turtle tutor tutu
        tuxedo tweed twelve twenty twice twig twist twitch two tycoon type typist ultra umpire unbend uncle under undo
        uneasy uneven unfold unify unique unite unkind unlock unpack until unveil unwrap upbeat update uphill uphold
        upkeep upland uplift upon upper uproar upset upside uptake uptown upturn upward upwind usable usage use useful
        usher usual utmost utopia vacant vacuum vague valid valve vanish vapor vegan veil velcro velvet vendor veneer
        verbal verify verse vertex very vessel victor video view villa vine vinyl violet virtue visa visit visor
        visual vital vivid vixen vizier vocal voice volley volume vote vowel voyage waffle wagon wait walker wallet
        walnut walrus waltz wander wanton warren wasabi washer wasp water wattle wax waxen wealth weapon weave webbed
        weigh welder whack whale wharf wheat where which whimsy whip whirl whisk white wholly whoosh wick widen widget
        width wigwam wildly willow win winery winter wisdom wise witty wolf wombat wonky wooden worker world worthy
        woven wrap wreath wren wrist writer wrong yacht yak yammer yarn yeasty yeti yogurt yolk yonder young yoyo
        yummy zebra zenith zephyr zero zigzag zinc zinnia zircon zodiac zoo
        """
}
