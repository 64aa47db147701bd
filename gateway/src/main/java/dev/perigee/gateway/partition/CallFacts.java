package dev.perigee.gateway.partition;

/**
 * Guard inputs of a request's state machine, besides its stage.
 *
 * @param resolved it is known where to send it
 * @param complete its arguments are kept, so that it can be sent
 * @param tool it calls a tool, which may have effects
 * @param possibleRuns in how many sessions that are gone it may have run
 * @param over its deadline passed
 * @param serving a session takes requests
 * @param replaying the worker still replays its journals, which may have its result
 * @param rounds how far it came by questions after which another worker can go on with it
 */
record CallFacts(
        boolean resolved,
        boolean complete,
        boolean tool,
        int possibleRuns,
        boolean over,
        boolean serving,
        boolean replaying,
        Rounds rounds) {

    /** These, and one more session in which it may have run. */
    CallFacts afterPossibleRun() {
        return new CallFacts(
                resolved, complete, tool, possibleRuns + 1, over, serving, replaying, rounds);
    }

    /** Progress of a call by its server's questions. */
    enum Rounds {
        /** It has not asked so. */
        NONE,
        /** A question is open: nothing of it is under way anywhere. */
        ASKING,
        /** A response was sent, so that the server may work on it. */
        ANSWERED
    }

    /** A condition of a transition. */
    enum Guard {
        ALWAYS(""),
        OVER("its deadline passed"),
        RAN_TWICE("it may have run in two sessions"),
        INCOMPLETE("its arguments were not kept"),
        UNRESOLVED("its server is not known"),
        UNRESOLVED_AND_OVER("its server is not known, and its deadline passed"),
        MAY_HAVE_ACTED("it calls a tool and may have run in an earlier session"),
        ASKING("its server's question is open, and another worker can go on from there"),
        ASKING_UNRESOLVED("the same, and its server is not known"),
        ANSWERED("a response to its server's question was sent"),
        UNSERVED("no session takes requests"),
        REPLAYING("the worker still replays its journals");

        private final String meaning;

        Guard(String meaning) {
            this.meaning = meaning;
        }

        /** For people; empty where nothing is asked. */
        String meaning() {
            return meaning;
        }

        boolean holds(CallFacts facts) {
            return switch (this) {
                case ALWAYS -> true;
                case OVER -> facts.over;
                case RAN_TWICE -> facts.possibleRuns > 1;
                case INCOMPLETE -> !facts.complete;
                case UNRESOLVED -> !facts.resolved;
                case UNRESOLVED_AND_OVER -> !facts.resolved && facts.over;
                case MAY_HAVE_ACTED ->
                        facts.tool && (facts.possibleRuns > 0 || facts.rounds != Rounds.NONE);
                case ASKING -> facts.rounds == Rounds.ASKING;
                case ASKING_UNRESOLVED -> facts.rounds == Rounds.ASKING && !facts.resolved;
                case ANSWERED -> facts.rounds == Rounds.ANSWERED;
                case UNSERVED -> !facts.serving;
                case REPLAYING -> facts.replaying;
            };
        }
    }
}
