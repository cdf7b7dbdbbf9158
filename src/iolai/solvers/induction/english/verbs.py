"""Common English verbs, for telling ``sleeps`` the verb from ``sleeps`` the noun."""

from __future__ import annotations

__all__ = ["BARE_AFTER", "COMMON"]

#: Verbs whose object may have a bare verb after it: make somebody sleep.
BARE_AFTER = frozenset(("make", "let", "see", "hear", "have", "help", "watch", "feel"))

#: Verbs that a sentence may have after a noun; words more often seen as nouns are left out.
_COMMON = """
agree allow answer appear apply argue arrive ask attack avoid bake bark bathe be beat become
beg begin believe belong bend betray bind bite blame bleed bless blow boast boil borrow break
breathe bring build burn bury buy call carry carve catch celebrate change chase chew choose
chop clean climb close collect come complain cook count cover cross cry cure cut dance dare
deceive decide defeat deny describe deserve die dig disappear discover dislike divide do doubt
drag draw dream dress drink drive drop drown dry earn eat enter envy escape exist expect
explain fail fall fear feed feel fetch fight fill find finish fix flee float flow fly follow
forbid forget forgive free freeze frighten gather get give go grab greet grind grow guard guess
hang happen hate have heal hear help hide hit hold hope hug hunt hurry hurt imagine improve
invite jump keep kick kill kiss kneel knock know lack laugh lead learn leave lend let lick lie
lift like listen live look lose love make marry meet melt mend milk miss move must need nod
obey offend offer open owe own paint pass pay peel pick pierce plant play point pound pour
praise pray prefer prepare press pretend promise protect prove pull punish push put quarrel
quit raise reach read receive recognise recognize refuse remain remember repair reply
rest return ride rise roast rob rub run sail save say scare scold scratch scream search see
seek seem sell send separate serve sew shake share shave shine shoot shout show shut sing sink
sit skin sleep slip smash smell smile smoke sneeze snore speak spear spend spill spin spit
split spread squeeze stab stand stay steal stick sting stop strike suck suffer swallow swear
sweep swim swing take talk taste teach tear tell thank think threaten throw tie tire touch
trade travel treat tremble trust try turn understand use visit vomit wait wake walk want warn
wash waste watch water wear weave weep whisper whistle win wipe wish wonder work worry worship
write yawn yell
"""
COMMON = frozenset(_COMMON.split())
