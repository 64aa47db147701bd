package dev.perigee.local.cli;

import dev.perigee.gateway.deadletter.Letter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** Printed form of dead letters: by position, without values. */
final class LetterLines {
    private LetterLines() {}

    static String time(Letter letter) {
        return letter.time().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    static String key(Letter letter) {
        return letter.key() == null ? "(none)" : letter.key();
    }

    /** The fields of a letter's JSON; absent ones are null. */
    static Map<String, Object> json(Letter letter) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("letter", letter.place());
        fields.put("time", letter.time());
        if (letter.key() != null) {
            fields.put("key", letter.key());
        }
        fields.put("reason", letter.reason());
        fields.put("detail", letter.detail());
        fields.put("origin", letter.origin());
        fields.put("size_bytes", letter.sizeBytes());
        fields.put("redrives", letter.redrives());
        if (letter.redrivenTo() != null) {
            fields.put("redriven_to", letter.redrivenTo());
        }
        return fields;
    }
}
