package dev.perigee.local.cli;

import dev.perigee.gateway.deadletter.Letter;
import dev.perigee.part.Output;
import dev.perigee.part.Span;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One dead letter, printed whole. */
final class LetterView {
    private static final JsonMapper MAPPER = JsonMapper.shared();

    private final Output output;
    private final boolean unmask;

    LetterView(Output output, boolean unmask) {
        this.output = output;
        this.unmask = unmask;
    }

    void show(Letter letter, ConsumerRecord<byte[], byte[]> record) {
        if (output.isJson()) {
            var fields = LetterLines.json(letter);
            fields.put("headers", headers(record));
            fields.put("value", value(record.value()));
            output.json(fields);
            return;
        }
        output.line(new Span("bold", "letter " + letter.place()));
        output.line("time    " + LetterLines.time(letter));
        output.line("key     " + LetterLines.key(letter));
        output.line("reason  " + letter.reason());
        output.line("detail  " + letter.detail());
        output.line("origin  " + letter.origin());
        if (letter.redrivenTo() != null) {
            output.line("redriven to " + letter.redrivenTo());
        }
        headers(record).forEach((name, value) -> output.line("header  " + name + ": " + value));
        var value = value(record.value());
        output.block(
                value instanceof JsonNode json
                        ? MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(json)
                        : value.toString());
    }

    /** A tree, or a line about what cannot be shown as one. */
    private Object value(byte @Nullable [] value) {
        if (value == null || value.length == 0) {
            return "(no value)";
        }
        if (unmask) {
            return tree(value);
        }
        var masked = CredentialMask.masked(value);
        return masked == null
                ? "(" + value.length + " bytes that are no JSON; --unmask shows them)"
                : masked;
    }

    private static Object tree(byte[] value) {
        try {
            return MAPPER.readTree(value);
        } catch (JacksonException e) {
            return text(value);
        }
    }

    private Map<String, String> headers(ConsumerRecord<byte[], byte[]> record) {
        var headers = new LinkedHashMap<String, String>();
        for (var header : record.headers()) {
            if (!header.key().startsWith("perigee-")
                    || header.key().startsWith("perigee-broadcast")) {
                var isSecret = !unmask && CredentialMask.isTelling(header.key());
                headers.put(
                        header.key(),
                        isSecret
                                ? CredentialMask.MASK
                                : header.value() == null ? "" : text(header.value()));
            }
        }
        return headers;
    }

    /** Text where it is one without control characters, else Base64. */
    private static String text(byte[] bytes) {
        try {
            var text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            var isPlain =
                    text.chars()
                            .noneMatch(c -> Character.isISOControl(c) && c != '\n' && c != '\t');
            return isPlain ? text : base64(bytes);
        } catch (CharacterCodingException e) {
            return base64(bytes);
        }
    }

    private static String base64(byte[] bytes) {
        return "base64:" + Base64.getEncoder().encodeToString(bytes);
    }
}
