package dev.perigee.protocol.access;

import dev.perigee.protocol.settings.HostPort;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Access control of a part's admin pages. Health is for everybody and is not asked about here.
 * Holds a digest of the token only; any thread may ask.
 *
 * <pre>
 *   a token is set                       who presents it
 *   none, only people reach the address  everybody, unless a page of elsewhere asks in a browser
 *   none, others reach it                nobody
 * </pre>
 */
public final class AdminAccess {
    private static final Set<String> OWN_NAMES = Set.of("localhost", "127.0.0.1", "::1");

    private final @Nullable BearerToken token;
    private final boolean open;
    private final boolean metricsOpen;

    /**
     * @param token what must be presented, null where there is none
     * @param open whether without a token whoever can ask may
     * @param metricsOpen whether the metrics are for everybody
     */
    public AdminAccess(@Nullable String token, boolean open, boolean metricsOpen) {
        this.token = token == null ? null : new BearerToken(token);
        this.open = open;
        this.metricsOpen = metricsOpen;
    }

    /** Whether a token must be presented. */
    public boolean hasToken() {
        return token != null;
    }

    /**
     * Refusal of a request.
     *
     * @param unauthorized whether the right token would help (401), or nothing does (403)
     * @param reason for people, with what to do
     */
    public record Refusal(boolean unauthorized, String reason) {
        public int status() {
            return unauthorized ? 401 : 403;
        }
    }

    /**
     * Why a request is refused, null when it is not.
     *
     * @param headers a request's header by its name, null where it has none
     */
    public @Nullable Refusal refusal(Function<String, @Nullable String> headers) {
        if (token != null) {
            return token.accepts(headers.apply("Authorization"))
                    ? null
                    : new Refusal(
                            true, "needs the header Authorization: Bearer with the admin.token");
        }
        if (!open) {
            return new Refusal(
                    false,
                    "others than operators, such as jailed servers, reach this address: set"
                            + " admin.token");
        }
        return fromElsewhere(headers.apply("Host"), headers.apply("Origin"))
                ? new Refusal(
                        false, "a page of elsewhere asks in a browser: set admin.token to let it")
                : null;
    }

    /** The same for the metrics. */
    public @Nullable Refusal metricsRefusal(Function<String, @Nullable String> headers) {
        return metricsOpen ? null : refusal(headers);
    }

    /**
     * A page in a user's browser can send requests to this machine, too, and can read the answers
     * when its own name leads here. It cannot choose these two headers.
     */
    private static boolean fromElsewhere(@Nullable String host, @Nullable String origin) {
        if (host == null) {
            return origin != null;
        }
        return !isOwnName(host) || (origin != null && !origin.equals("http://" + host));
    }

    private static boolean isOwnName(String host) {
        var withPort = HostPort.parse(host);
        var name = withPort == null ? host.replaceAll("[\\[\\]]", "") : withPort.host();
        return OWN_NAMES.contains(name.toLowerCase(Locale.ROOT));
    }
}
