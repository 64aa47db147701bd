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
        new SecretWalk(new Collector(), isFromBackend).visit(value);
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
        if (secret.isEmpty() || SecretIndex.isMask(secret)) {
            return secret;
        }
        masked++;
        return masks.of(secret);
    }

    private final class Collector implements SecretWalk.Visitor {
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
            parts.forEach(part -> index.add(part.in(text), false));
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
