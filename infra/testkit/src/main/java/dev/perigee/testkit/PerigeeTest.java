package dev.perigee.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Mark of test classes that share a fleet of one gateway and one worker: it starts with the first
 * of them and ends with the run. Parameters are those of {@link PerigeeFleet}, and static code has
 * it by {@link PerigeeFleet#shared}. For other shapes and settings, and for tests that kill parts,
 * a class has a {@code PerigeeFleet} of its own.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(SharedPerigeeFleet.class)
public @interface PerigeeTest {}
