package dev.perigee.worker.oauth;

import dev.perigee.protocol.config.OAuthConfig;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * OAuth of an installation, as a later owner needs it; stored where secrets are. Changed by
 * addition only. {@link #toString()} has no secret.
 *
 * @param of fingerprint of the configuration that it is of
 * @param tokens null before the first
 * @param begun what the authorization server was about to be asked for, and has not answered as far
 *     as is known: {@link #REFRESH} or {@link #EXCHANGE}; null for nothing
 * @param offer the authorization that waits for its user, null for none; the one whose code is
 *     exchanged, while that is begun
 * @param usedCode digest of the code that was exchanged last, null for none
 * @param earlier authorizations that were asked for before, and whose user may be about to answer;
 *     the newest first, null for none
 */
public record OAuthState(
        String of,
        @Nullable Tokens tokens,
        @Nullable String begun,
        @Nullable AuthorizationOffer offer,
        @Nullable String usedCode,
        @Nullable List<AuthorizationOffer> earlier) {
    /** Most offers whose answer is taken. */
    private static final int MOST_OFFERS = 3;

    /** New tokens for a refresh token. */
    public static final String REFRESH = "refresh";

    /** Tokens for a code. */
    public static final String EXCHANGE = "exchange";

    public OAuthState {
        earlier = earlier == null || earlier.isEmpty() ? null : List.copyOf(earlier);
    }

    /** Fingerprint of what tokens belong to: the server's address and its OAuth. */
    public static String fingerprint(ServerConfig config) {
        var oauth = Objects.requireNonNull(config.oauth()).withoutAnswer();
        return Pkce.challenge(
                config.url() + "\n" + new String(Json.write(oauth), StandardCharsets.UTF_8));
    }

    /** The same with other tokens, and nothing begun. */
    public OAuthState with(@Nullable Tokens next) {
        return new OAuthState(of, next, null, offer, usedCode, earlier);
    }

    /** The same with this begun. */
    public OAuthState beginning(@Nullable String next) {
        return new OAuthState(of, tokens, next, offer, usedCode, earlier);
    }

    private Stream<AuthorizationOffer> offers() {
        return Stream.concat(
                Stream.ofNullable(offer), earlier == null ? Stream.of() : earlier.stream());
    }

    private OAuthState offering(
            List<AuthorizationOffer> all, @Nullable String nowBegun, @Nullable String code) {
        var first = all.isEmpty() ? null : all.getFirst();
        return new OAuthState(of, tokens, nowBegun, first, code, all.stream().skip(1).toList());
    }

    /** The same with another offer; answers to the last ones before are still taken. */
    public OAuthState offering(AuthorizationOffer next) {
        var all = Stream.concat(Stream.of(next), offers()).limit(MOST_OFFERS).toList();
        return offering(all, begun, usedCode);
    }

    /** The same without the offer that was answered. */
    public OAuthState withoutOffer() {
        return offering(offers().skip(1).toList(), begun, usedCode);
    }

    /** The offer that an answer is to, by its state; the newest where it is to none of them. */
    public @Nullable AuthorizationOffer answered(OAuthConfig answer) {
        return asked(answer).findFirst().orElse(offer);
    }

    /** Whether an open offer has the answer's {@code state}. */
    public boolean awaits(OAuthConfig answer) {
        return asked(answer).findFirst().isPresent();
    }

    private Stream<AuthorizationOffer> asked(OAuthConfig answer) {
        return offers().filter(each -> each.isState(answer.state()));
    }

    /**
     * The same, about to exchange a code, which is used from now on whatever comes of it.
     *
     * @param answered whose code it is
     */
    public OAuthState exchanging(String code, AuthorizationOffer answered) {
        var others = offers().filter(each -> !each.equals(answered));
        return offering(
                Stream.concat(Stream.of(answered), others).toList(),
                EXCHANGE,
                Pkce.challenge(code));
    }

    /** Whether it is the code that was exchanged last. */
    public boolean isUsed(String code) {
        return Pkce.challenge(code).equals(usedCode);
    }

    @Override
    public String toString() {
        return "OAuthState[" + tokens + ", begun=" + begun + ", " + offer + "]";
    }
}
