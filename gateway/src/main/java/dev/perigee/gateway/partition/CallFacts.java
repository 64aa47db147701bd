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
 * @param asked its modern server asked, nothing runs for it until somebody answers, and another
 *     worker can go on
 */
record CallFacts(
        boolean resolved,
        boolean complete,
        boolean tool,
        int possibleRuns,
        boolean over,
        boolean serving,
        boolean replaying,
        boolean asked) {

    /** Of a request whose server asks nothing. */
    CallFacts(
            boolean resolved,
            boolean complete,
            boolean tool,
            int possibleRuns,
            boolean over,
            boolean serving,
            boolean replaying) {
        this(resolved, complete, tool, possibleRuns, over, serving, replaying, false);
    }

    /** These, and one more session in which it may have run. */
    CallFacts afterPossibleRun() {
        return new CallFacts(
                resolved, complete, tool, possibleRuns + 1, over, serving, replaying, asked);
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
        UNSERVED("no session takes requests"),
        REPLAYING("the worker still replays its journals"),
        RESUMABLE("its server asked, and nothing runs for it until somebody answers");

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
                case MAY_HAVE_ACTED -> facts.tool && facts.possibleRuns > 0;
                case UNSERVED -> !facts.serving;
                case REPLAYING -> facts.replaying;
                case RESUMABLE ->
                        facts.asked
                                && facts.resolved
                                && facts.complete
                                && !facts.over
                                && facts.possibleRuns == 0;
            };
        }
    }
}
