package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.osgi.service.component.annotations.Component;

/** The host of this process. Stateless. */
@Component(service = Host.class)
public final class LocalHost implements Host {
  private final HostFiles files = new LocalFiles();

  /** Called by the container, and by programs without one. */
  public LocalHost() {}

  @Override
  public Optional<Path> find(String program) {
    return HostProgram.find(program);
  }

  @Override
  public HostFiles files() {
    return files;
  }

  @Override
  public ProgramResult run(ProgramCall call) throws StorageException {
    Process process = begin(builder(call.command()), call.program());
    BoundedOutput output = BoundedOutput.of(process.getInputStream(), call.outputBytes());
    BoundedOutput errors = BoundedOutput.of(process.getErrorStream(), call.outputBytes());
    CompletableFuture<Void> written =
        CompletableFuture.runAsync(() -> write(process, call.input()), BoundedOutput.THREADS);
    try {
      if (!process.waitFor(call.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
        throw new StorageException(
            ErrorCode.TIMEOUT,
            call.program() + " did not end within " + call.timeout().toSeconds() + " s");
      }
      return new ProgramResult(
          process.exitValue(),
          output.text(),
          errors.text(),
          output.truncated() || errors.truncated());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, call.program() + ": interrupted", e);
    } finally {
      kill(process);
      written.cancel(true);
    }
  }

  /** A program that does not read its input, or ends early, may still succeed. */
  private static void write(Process process, String input) {
    try (OutputStream stream = process.getOutputStream()) {
      stream.write(input.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // the exit code shows whether this was a failure
    }
  }

  private static void kill(Process process) {
    if (process.isAlive()) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Override
  public HostProcess start(List<String> command) throws StorageException {
    ProcessBuilder builder =
        builder(command).directory(new File("/")).redirectError(ProcessBuilder.Redirect.DISCARD);
    return new LocalProcess(begin(builder, command.get(0)));
  }

  private static ProcessBuilder builder(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("LC_ALL", "C");
    return builder;
  }

  private static Process begin(ProcessBuilder builder, String program) throws StorageException {
    try {
      return builder.start();
    } catch (IOException e) {
      throw StorageException.io(program, e);
    }
  }

  private record LocalProcess(Process process) implements HostProcess {
    @Override
    public OutputStream input() {
      return process.getOutputStream();
    }

    @Override
    public InputStream output() {
      return process.getInputStream();
    }

    @Override
    public CompletableFuture<Integer> exit() {
      return process.onExit().thenApply(Process::exitValue);
    }

    @Override
    public void kill() {
      process.destroyForcibly();
    }
  }
}
