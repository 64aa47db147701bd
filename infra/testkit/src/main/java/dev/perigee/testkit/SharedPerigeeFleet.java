package dev.perigee.testkit;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * The fleet of {@link PerigeeTest}, one of each launcher session: a build tool may run each class
 * by itself, but in one session. JUnit closes the session's store, and the fleet with it.
 */
final class SharedPerigeeFleet implements BeforeAllCallback, ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(SharedPerigeeFleet.class);

    @Override
    public void beforeAll(ExtensionContext context) throws InterruptedException {
        fleet(context).start();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return PerigeeFleet.gives(parameter);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return fleet(context).given(parameter);
    }

    private static PerigeeFleet fleet(ExtensionContext context) {
        return context.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, NAMESPACE)
                .computeIfAbsent("fleet", _ -> new Kept(PerigeeFleet.shared()), Kept.class)
                .fleet();
    }

    /** Entry of the store. */
    private record Kept(PerigeeFleet fleet) implements AutoCloseable {
        @Override
        public void close() {
            fleet.stop();
        }
    }
}
