package dev.holdfast.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.commands.Output;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code holdfast kubeconfig}. */
@Command(
    name = "kubeconfig",
    description =
        "Print the path of the kubeconfig: kubectl --kubeconfig \"$(holdfast kubeconfig)\"")
final class KubeconfigCommand implements Callable<Integer> {
  private final Invocation invocation;

  KubeconfigCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    String path = invocation.dataDirectory().kubeconfig().toString();
    invocation.print(
        new Output(() -> path, () -> JsonNodeFactory.instance.objectNode().put("path", path)));
    return CommandLine.ExitCode.OK;
  }
}
