package dev.holdfast.cli;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** When a volume is deleted. */
final class DeletionOptions {
  @ArgGroup(exclusive = true, multiplicity = "0..1")
  private Choice choice = new Choice();

  /** At most one of these is given. */
  static final class Choice {
    @Option(
        names = "--when-detached",
        description = "Delete it once it is detached and no workload asks for it.")
    private boolean whenDetached;

    @Option(
        names = "--cancel",
        description = "Take back what '--when-detached' asked for, as long as it is attached.")
    private boolean cancel;
  }

  /** When it is deleted. */
  enum Moment {
    NOW,
    WHEN_DETACHED,
    NEVER
  }

  Moment moment() {
    if (choice.cancel) {
      return Moment.NEVER;
    }
    return choice.whenDetached ? Moment.WHEN_DETACHED : Moment.NOW;
  }
}
