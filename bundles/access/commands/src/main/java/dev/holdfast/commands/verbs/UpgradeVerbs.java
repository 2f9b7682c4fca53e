package dev.holdfast.commands.verbs;

import dev.holdfast.client.NodeUpgrade;
import dev.holdfast.client.UpgradeOrder;
import dev.holdfast.client.Upgrades;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.UpgradeViews;
import dev.holdfast.commands.verbs.VerbOption.Repetition;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The verb {@code upgrade}. */
final class UpgradeVerbs {
  private static final VerbArgument<String> SOURCE =
      VerbArgument.of(
              "FILE|COORDINATES",
              String.class,
              Candidates.FILES,
              """
              A bundle (.jar), a feature (.kar, .xml) or a release (.tar.gz), as a file that every node
              can read, or Maven coordinates (group:artifact:version) that every node can resolve.""")
          .times(0, 1);
  private static final VerbOption<Boolean> PLAN =
      VerbOption.flag(
          "--plan", "Show the replacements without performing them, with method and pause.");
  private static final VerbOption<Boolean> STATUS =
      VerbOption.flag("--status", "Show the last upgrades of each node.");
  private static final VerbOption<Boolean> ROLLBACK =
      VerbOption.flag("--rollback", "Roll the last upgrade back.");
  private static final VerbOption<Boolean> RESTART =
      VerbOption.flag("--restart", "Permit a restart of the container where it is necessary.");
  private static final VerbOption<String> NODES =
      VerbOption.of(
              "--node",
              "NAME",
              String.class,
              Candidates.NODES,
              "Node to upgrade. Default: all nodes, one after the other.")
          .times(Repetition.REPEATED);
  private static final VerbOption<Integer> TIMEOUT =
      VerbOption.seconds("--timeout", 600, "Longest time to wait for each node.");

  static final Verb UPGRADE =
      new Verb(
          "upgrade",
          List.of(SOURCE),
          List.of(PLAN, STATUS, ROLLBACK, RESTART, NODES, TIMEOUT),
          """
          Replace a bundle, a feature or a release while volumes are in use.
          Node by node, bundle by bundle; at the first failure all steps are rolled back.""",
          UpgradeVerbs::upgrade);

  private UpgradeVerbs() {}

  private static Output upgrade(VerbCall call) throws StorageException {
    if (call.has(STATUS)) {
      return new UpgradeViews().upgrades(new Upgrades(call.context().store()).last());
    }
    Optional<String> source = call.value(SOURCE);
    if (call.has(ROLLBACK) == source.isPresent()) {
      throw new StorageException(
          ErrorCode.INVALID, "upgrade: name a version to upgrade to, or use --rollback");
    }
    UpgradeOrder.Action forward =
        call.has(PLAN) ? UpgradeOrder.Action.PLAN : UpgradeOrder.Action.APPLY;
    UpgradeOrder order =
        new UpgradeOrder(
            call.has(ROLLBACK) ? UpgradeOrder.Action.ROLLBACK : forward,
            source.map(UpgradeVerbs::absolute).orElse(""),
            call.has(RESTART),
            call.all(NODES));
    List<NodeUpgrade> results =
        new Upgrades(call.context().store()).run(order, call.waiting(true, TIMEOUT));
    if (!results.stream().allMatch(NodeUpgrade::isGood)) {
      call.fail();
    }
    return new UpgradeViews().upgrades(results);
  }

  /** Returns an absolute path. Karaf's completion of files may supply a URL. */
  private static String absolute(String given) {
    Path file = Path.of(given.replaceFirst("^file:", ""));
    return Files.exists(file) ? file.toAbsolutePath().normalize().toString() : given;
  }
}
