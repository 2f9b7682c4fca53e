package dev.holdfast.store.kubernetes.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real kubectl. */
final class Kubectl {
  private final Path kubeconfig;

  Kubectl(Path kubeconfig) {
    this.kubeconfig = kubeconfig;
  }

  /** Exit code and output of a command. */
  record Result(int code, String output) {}

  Result run(String... arguments) throws IOException, InterruptedException {
    return runWith("", arguments);
  }

  Result runWith(String input, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("kubectl"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("KUBECONFIG", kubeconfig.toString());
    Process process = builder.start();
    try (var in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.UTF_8));
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("kubectl does not end: " + output);
    }
    return new Result(process.exitValue(), output);
  }
}
