package dev.perigee.testing.history;

/** Exceptions that docs/guarantees.md does not promise, by the first words of each there. */
public enum Admission {
    HANDED_OVER("What a gateway had given to its producer before its lease ended"),
    NOT_COMMITTED("Between an answer's acknowledgement and the commit of its request"),
    LOST_TOGETHER("A worker lost, or cut off, together with its partition's gateway"),
    JOURNAL_LOST("A worker that is lost"),
    RESULT_DROPPED("A result that comes after its request was answered");

    private final String words;

    Admission(String words) {
        this.words = words;
    }

    /** The words of the page. */
    public String words() {
        return words;
    }
}
