package dev.holdfast.rule.testkit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * Prefixes each failure of a kit with the name of the rule: the class of the kit, the method, and
 * the case of a rule with several cases. Unexpected exceptions become such failures too. Skips are
 * unchanged. Each base class of a kit registers this extension.
 */
public final class NamedRules
    implements TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler {

  /** Creates the extension; called by JUnit. */
  public NamedRules() {}

  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable failure)
      throws Throwable {
    throw named(context, "", failure);
  }

  @Override
  public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable failure)
      throws Throwable {
    throw named(context, ", preparation", failure);
  }

  @Override
  public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable failure)
      throws Throwable {
    throw named(context, ", clean-up", failure);
  }

  private static Throwable named(ExtensionContext context, String phase, Throwable failure) {
    if (failure instanceof TestAbortedException) {
      return failure;
    }
    String found =
        failure instanceof AssertionError
            ? String.valueOf(failure.getMessage())
            : "expected no exception, found " + failure;
    return new AssertionFailedError("rule " + rule(context) + phase + ": " + found, failure);
  }

  private static String rule(ExtensionContext context) {
    var method = context.getRequiredTestMethod();
    String name = method.getDeclaringClass().getSimpleName() + "." + method.getName();
    String shown = context.getDisplayName();
    return shown.startsWith(method.getName()) ? name : name + " " + shown;
  }
}
