package dev.perigee.faults;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Says what a test or all tests of a class need of the machine besides what README names. Without
 * it they are skipped, see {@link Program}. It brings the tag by which CI runs them once more, on a
 * machine without those programs.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Tag(NeedsProgram.TAG)
@ExtendWith(NeededPrograms.class)
public @interface NeedsProgram {
    /** Of every test that needs a program. */
    String TAG = "needs-program";

    /** All that is needed. */
    Program[] value();
}
