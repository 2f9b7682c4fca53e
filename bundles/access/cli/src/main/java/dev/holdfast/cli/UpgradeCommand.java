package dev.holdfast.cli;

import dev.holdfast.client.NodeUpgrade;
import dev.holdfast.client.UpgradeOrder;
import dev.holdfast.client.Upgrades;
import dev.holdfast.commands.UpgradeViews;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast upgrade …}. */
@Command(
    name = "upgrade",
    description = {
      "Replace a bundle, a feature or a release while volumes are in use.",
      "Node by node, bundle by bundle; at the first trouble everything goes back."
    })
final class UpgradeCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(
      arity = "0..1",
      paramLabel = "FILE|COORDINATES",
      description = {
        "A bundle (.jar), a feature (.kar, .xml) or a release (.tar.gz), as a file that every node",
        "can read, or Maven coordinates (group:artifact:version) that every node can resolve."
      })
  private Optional<String> source = Optional.empty();

  @Option(names = "--plan", description = "Show what would be replaced, how, with which pause.")
  private boolean plan;

  @Option(names = "--status", description = "Show the last upgrades of each node.")
  private boolean status;

  @Option(names = "--rollback", description = "Take the last upgrade back.")
  private boolean rollback;

  @Option(names = "--restart", description = "Let the container restart where it must.")
  private boolean restart;

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description = "Only there. Default: all nodes, one after the other.")
  private List<String> nodes = new ArrayList<>();

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "600",
      description = "How long to wait at most for each node. Default: ${DEFAULT-VALUE}.")
  private int timeoutSeconds;

  UpgradeCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws StorageException {
    if (status) {
      return invocation.print(store -> new UpgradeViews().upgrades(new Upgrades(store).last()));
    }
    if (rollback == source.isPresent()) {
      throw new StorageException(
          ErrorCode.INVALID, "upgrade: name what to upgrade to, or say --rollback");
    }
    List<NodeUpgrade> results = new ArrayList<>();
    invocation.print(
        store -> {
          results.addAll(
              new Upgrades(store).run(order(), invocation.waiting(true, timeoutSeconds)));
          return new UpgradeViews().upgrades(results);
        });
    return results.stream().allMatch(NodeUpgrade::isGood)
        ? CommandLine.ExitCode.OK
        : CommandLine.ExitCode.SOFTWARE;
  }

  private UpgradeOrder order() {
    UpgradeOrder.Action forward = plan ? UpgradeOrder.Action.PLAN : UpgradeOrder.Action.APPLY;
    return new UpgradeOrder(
        rollback ? UpgradeOrder.Action.ROLLBACK : forward,
        source.map(UpgradeCommand::absolute).orElse(""),
        restart,
        nodes);
  }

  private static String absolute(String given) {
    Path file = Path.of(given);
    return Files.exists(file) ? file.toAbsolutePath().normalize().toString() : given;
  }
}
