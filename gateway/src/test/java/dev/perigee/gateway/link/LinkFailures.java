package dev.perigee.gateway.link;

/** Failures of a link, for tests of those who have one. */
public final class LinkFailures {
    private LinkFailures() {}

    /** A call that got no answer, for this reason. */
    public static LinkException of(LinkException.Reason reason, boolean mayHaveRun) {
        var failure = reason == LinkException.Reason.LOST ? LinkFailure.UNREACHABLE : null;
        return new LinkException(reason, failure, mayHaveRun, "the test says " + reason);
    }
}
