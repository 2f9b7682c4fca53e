package dev.holdfast.apiserver.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** One kubectl: Debian's old one, which must be there, and a newer one where the machine has it. */
record Kubectl(Path binary, String version) {
  private static final long LIMIT_SECONDS = 60;

  /** Output of a command, and its exit code. */
  record Result(int exit, String out, String err) {
    Result succeeds() {
      assertThat(exit).as(out + err).isZero();
      return this;
    }

    Result fails() {
      assertThat(exit).as(out + err).isNotZero();
      return this;
    }
  }

  /** The kubectls to test with. */
  static List<Kubectl> all() throws Exception {
    List<Kubectl> found = new ArrayList<>();
    Process script =
        new ProcessBuilder(projectRoot().resolve("itests/tools/kubectl-1.20").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String path = new String(script.getInputStream().readAllBytes(), UTF_8).strip();
    assertThat(script.waitFor()).as("itests/tools/kubectl-1.20").isZero();
    found.add(new Kubectl(Path.of(path), "1.20"));
    Stream.of(System.getenv("PATH").split(":", -1))
        .map(directory -> Path.of(directory, "kubectl"))
        .filter(Files::isExecutable)
        .findFirst()
        .ifPresent(installed -> found.add(new Kubectl(installed, "installed")));
    return found;
  }

  private static Path projectRoot() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("itests/tools/kubectl-1.20"))) {
      directory = directory.getParent();
    }
    return directory;
  }

  /** Starts a command against a server. */
  Process start(TestServer server, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(binary.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("KUBECONFIG", server.kubeconfig().toString());
    builder.environment().put("HOME", server.kubeconfig().getParent().toString());
    builder.environment().put("KUBE_EDITOR", "sed -i s/2Gi/4Gi/");
    return builder.start();
  }

  /** Runs a command with a document on its standard input. */
  Result runWith(String input, TestServer server, String... arguments) throws Exception {
    Path errors = Files.createTempFile("kubectl", ".err");
    try {
      Process process = start(server, arguments);
      Thread copying = copy(process, errors);
      try (var in = process.getOutputStream()) {
        in.write(input.getBytes(UTF_8));
      }
      String out = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      copying.join();
      return new Result(process.exitValue(), out, Files.readString(errors));
    } finally {
      Files.delete(errors);
    }
  }

  private static Thread copy(Process process, Path errors) {
    Thread thread =
        new Thread(
            () -> {
              try {
                Files.write(errors, process.getErrorStream().readAllBytes());
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    thread.start();
    return thread;
  }

  /** Runs a command. */
  Result run(TestServer server, String... arguments) throws Exception {
    return runWith("", server, arguments);
  }

  @Override
  public String toString() {
    return "kubectl " + version;
  }
}
