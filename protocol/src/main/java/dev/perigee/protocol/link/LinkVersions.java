package dev.perigee.protocol.link;

import dev.perigee.protocol.json.InvalidRecordException;
import org.jspecify.annotations.Nullable;

/**
 * The range of versions of the link's messages that one side speaks. A connection uses the greatest
 * version that both ranges contain. Immutable.
 *
 * @param least the lowest version, at least 1
 * @param greatest the highest version, at least {@code least}
 */
public record LinkVersions(int least, int greatest) {
    /** The first version; it has no events of running calls, and no catalogues. */
    public static final int FIRST = 1;

    /** The version with which the events of running calls and catalogues came. */
    public static final int CALLS_THAT_TALK = 2;

    /** The version with which the questions of running calls came. */
    public static final int QUESTIONS = 3;

    /** The version with which records of usage came. */
    public static final int USAGE = 4;

    /** The version with which the notifications of servers came. */
    public static final int SERVER_EVENTS = 4;

    /** The version with which calls came that asked on one worker and go on at another. */
    public static final int RESUMED_CALLS = 5;

    /** The version with which the tasks of running calls came. */
    public static final int TASKS = 6;

    /** The version with which events about the authorization of servers came. */
    public static final int AUTHORIZATION = 6;

    /** The version with which a result came to say that its request was accepted. */
    public static final int IMPLIED_ACCEPTANCES = 7;

    /** The versions of this release. */
    public static final LinkVersions SPOKEN = new LinkVersions(FIRST, IMPLIED_ACCEPTANCES);

    public LinkVersions {
        if (least < 1 || greatest < least) {
            throw InvalidRecordException.invalid("field protocols is no range of versions");
        }
    }

    /** The greatest version in both ranges, or null when they have none in common. */
    public @Nullable Integer common(LinkVersions other) {
        int candidate = Math.min(greatest, other.greatest);
        return candidate >= Math.max(least, other.least) ? candidate : null;
    }

    /** Whether a version is within the range, both ends included. */
    public boolean contains(int version) {
        return version >= least && version <= greatest;
    }

    /**
     * The error of two sides without a common version, for people: names both ranges and the side
     * to upgrade.
     */
    public static String mismatch(LinkVersions gateway, LinkVersions worker) {
        var older = gateway.greatest < worker.least ? "gateway" : "worker";
        return "no common version of the link: the gateway speaks %s, the worker %s: upgrade the %s"
                .formatted(gateway, worker, older);
    }

    @Override
    public String toString() {
        return least == greatest ? Integer.toString(least) : least + " to " + greatest;
    }
}
