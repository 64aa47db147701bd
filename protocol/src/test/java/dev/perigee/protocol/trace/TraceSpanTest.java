package dev.perigee.protocol.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Without anything attached that records spans. */
final class TraceSpanTest {
    private static final String GIVEN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @Test
    void handsOnWhatCame() {
        var span = begin(GIVEN, "topic-0@1");

        assertThat(span.traceparent()).isEqualTo(GIVEN);
        assertThat(span.traceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
        span.end("crashed");
    }

    @Test
    void makesOneThatIsTheSameForTheSameRecord() {
        var made = begin(null, "topic-0@1").traceparent();

        assertThat(made).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00");
        assertThat(begin(null, "topic-0@1").traceparent()).isEqualTo(made);
        assertThat(begin(null, "topic-0@2").traceparent()).isNotEqualTo(made);
        assertThat(begin(made, "topic-0@2").traceparent()).isEqualTo(made);
    }

    @Test
    void makesOneInPlaceOfWhatCannotBeRead() {
        for (var bad :
                new String[] {
                    "",
                    "00-aa",
                    GIVEN.replace('a', 'A'),
                    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                    "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
                }) {
            assertThat(begin(bad, "topic-0@1").traceparent())
                    .as(bad)
                    .isEqualTo(begin(null, "topic-0@1").traceparent());
        }
    }

    @Test
    void makesOneInPlaceOfWhatHasOneWrongCharacter() {
        for (int at = 0; at < GIVEN.length(); at++) {
            for (var wrong : new String[] {"g", "/", ":", "F", "`", "\u0131", ""}) {
                var bad = GIVEN.substring(0, at) + wrong + GIVEN.substring(at + 1);
                assertThat(begin(bad, "topic-0@1").traceparent())
                        .as(bad)
                        .isEqualTo(begin(null, "topic-0@1").traceparent());
            }
        }
        var noSpan = GIVEN.replace("b7ad6b7169203331", "0".repeat(16));
        assertThat(begin(noSpan, "topic-0@1").traceparent()).isNotEqualTo(noSpan);
    }

    @Test
    void handsOnAStateThatCanBeRead() {
        assertThat(state(GIVEN, "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"))
                .isEqualTo("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
        assertThat(state(GIVEN, null)).isNull();
    }

    @Test
    void ignoresAStateThatIsMalformedOrLongOrGoesWithNoTrace() {
        assertThat(state(GIVEN, "no state")).isNull();
        assertThat(state(GIVEN, "a=" + "b\u0000")).isNull();
        assertThat(state(GIVEN, "a=" + "b".repeat(250) + ",c=" + "d".repeat(250) + ",e=" + "f"))
                .isNotNull();
        assertThat(state(GIVEN, "a=" + "b".repeat(250) + ",c=" + "d".repeat(250) + ",e=ffffffff"))
                .as("longer than is continued")
                .isNull();
        assertThat(state("00-aa", "a=1")).isNull();
        assertThat(state(null, "a=1")).isNull();
    }

    @Test
    void asksNothingAboutTheWorkWhereNobodyRecords() {
        var span = TraceSpan.begin(UNASKED, GIVEN, null, () -> "topic-0@1");

        assertThat(span.isRecording()).isFalse();
        assertThat(span.within(UNASKED).traceparent()).isEqualTo(GIVEN);
    }

    private static @Nullable String state(@Nullable String given, @Nullable String state) {
        return TraceSpan.begin(UNASKED, given, state, () -> "topic-0@1").tracestate();
    }

    private static TraceSpan begin(@Nullable String given, String identity) {
        return TraceSpan.begin(UNASKED, given, null, () -> identity);
    }

    private static final TraceSpan.Work UNASKED =
            new TraceSpan.Work() {
                @Override
                public SpanKind kind() {
                    throw new AssertionError("asked");
                }

                @Override
                public String name() {
                    throw new AssertionError("asked");
                }

                @Override
                public Attributes attributes() {
                    throw new AssertionError("asked");
                }

                @Override
                public boolean linksParent() {
                    throw new AssertionError("asked");
                }
            };
}
