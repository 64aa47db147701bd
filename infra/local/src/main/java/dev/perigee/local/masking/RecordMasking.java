package dev.perigee.local.masking;

import dev.perigee.protocol.config.ArgumentSecrets;
import dev.perigee.protocol.config.SecretPart;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Masks the records of a span in two passes: the first collects its secrets, the second replaces
 * each wherever it stands, in whichever record. Equal secrets have equal masks, and what is a mask
 * already stays. For one thread.
 */
public final class RecordMasking {
    /** Words of so many letters and more are no words that sentences have. */
    private static final int SHORTEST_WORD = 12;

    private static final String HEADER = "Authorization: ";

    /** Who a record is about: what has such a name is no secret elsewhere. */
    private static final List<String> IDENTITIES =
            List.of(
                    "team_id",
                    "user_id",
                    "installation_id",
                    "server_slug",
                    "team_slug",
                    "user_slug");

    private final SecretIndex index = new SecretIndex();
    private final Masks masks;
    private long masked;

    public RecordMasking(Masks masks) {
        this.masks = masks;
    }

    /**
     * First pass: notes the secrets of a value.
     *
     * @param isFromBackend whether it is a command or a request
     */
    public void collect(JsonNode value, boolean isFromBackend) {
        if (isFromBackend) {
            identities(value);
            identities(value.path("payload"));
            identities(value.at("/payload/config"));
        }
        boolean isCommand = isFromBackend && value.has("command_type");
        new SecretWalk(new Collector(isCommand), isFromBackend).visit(value);
    }

    private void identities(JsonNode object) {
        for (var name : IDENTITIES) {
            if (object.path(name).isString()) {
                index.identity(object.path(name).asString());
            }
        }
    }

    /** Between the passes. */
    public void freeze() {
        index.freeze();
    }

    /** Second pass: the value without secrets; objects and arrays are edited in place. */
    public JsonNode masked(JsonNode value, boolean isFromBackend) {
        return new SecretWalk(new Masker(), isFromBackend).visit(value);
    }

    /** Second pass, for keys and headers. */
    public String masked(String text) {
        return index.replace(text, this::mask);
    }

    /** How many values were replaced. */
    public long count() {
        return masked;
    }

    /** How many different secrets are replaced wherever they stand. */
    public int secrets() {
        return index.size();
    }

    private String mask(String secret) {
        if (secret.isEmpty() || Masks.isMask(secret)) {
            return secret;
        }
        masked++;
        return masks.of(secret);
    }

    private final class Collector implements SecretWalk.Visitor {
        private final boolean isCommand;

        Collector(boolean isCommand) {
            this.isCommand = isCommand;
        }

        @Override
        public String secret(String value, boolean isCertain) {
            index.add(value, isCertain);
            ofCredentials(value);
            return text(value, ArgumentSecrets.in(List.of(value)).getFirst());
        }

        /** Of "Bearer V" also V is one, and of "Basic V" what V says. */
        private void ofCredentials(String value) {
            var header = HEADER + value;
            for (var part : ArgumentSecrets.in(List.of(header)).getFirst()) {
                if (part.from() > HEADER.length()) {
                    var credentials = part.in(header);
                    index.add(credentials, true);
                    index.add(passwordIn(credentials), true);
                }
            }
        }

        @Override
        public String text(String text, List<SecretPart> parts) {
            for (var part : parts) {
                var secret = part.in(text);
                index.add(secret, isCommand || !isProse(text) || !isPlainWord(secret));
            }
            return text;
        }

        @Override
        public String number(String digits) {
            return digits;
        }

        @Override
        public String name(String name) {
            return name;
        }
    }

    /** Of sentences a short word behind "password:" need not be one: "password: required". */
    private static boolean isProse(String text) {
        return text.chars().anyMatch(Character::isWhitespace);
    }

    private static boolean isPlainWord(String secret) {
        return secret.length() < SHORTEST_WORD && secret.chars().allMatch(Character::isLetter);
    }

    /** What stands behind the colon in base 64; empty where there is none. */
    private static String passwordIn(String credentials) {
        try {
            var bytes = Base64.getDecoder().decode(credentials);
            var text = new String(bytes, StandardCharsets.UTF_8);
            return text.substring(text.indexOf(':') + 1);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private final class Masker implements SecretWalk.Visitor {
        @Override
        public String secret(String value, boolean isCertain) {
            return mask(value);
        }

        @Override
        public String text(String text, List<SecretPart> parts) {
            return masked(
                    parts.isEmpty()
                            ? text
                            : SecretPart.replace(text, parts, RecordMasking.this::mask));
        }

        @Override
        public String number(String digits) {
            return index.has(digits) ? mask(digits) : digits;
        }

        @Override
        public String name(String name) {
            return masked(name);
        }
    }
}
