package dev.holdfast.vm.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.host.SecretFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Files of a host that can only run programs. Stateless. */
final class VmFiles implements HostFiles {
  private static final Duration SHORT = Duration.ofMinutes(1);
  private static final int ABSENT = 44;
  private static final int NOT_EMPTY = 45;

  private final Host host;

  VmFiles(Host host) {
    this.host = host;
  }

  /** Runs a shell script with arguments. */
  static ProgramResult shell(Host host, String script, String... arguments)
      throws StorageException {
    return host.run(call(script, arguments));
  }

  private static ProgramCall call(String script, String... arguments) {
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
    command.addAll(List.of(arguments));
    return ProgramCall.of(SHORT, command);
  }

  private String check(Path path, String script) throws StorageException {
    ProgramResult result = shell(host, script, path.toString());
    if (result.exitCode() != 0) {
      throw new StorageException(ErrorCode.IO, path + ": " + result.lastLines());
    }
    return result.output();
  }

  /** Reads hexadecimal digits, because outputs of programs are text. */
  @Override
  public Optional<byte[]> read(Path file, long offset, int length) throws StorageException {
    String script =
        "[ -e \"$1\" ] || exit "
            + ABSENT
            + "; dd if=\"$1\" bs=64k iflag=fullblock,skip_bytes,count_bytes skip=\"$2\""
            + " count=\"$3\" status=none | od -An -v -tx1 | tr -d ' \\n"
            + "'";
    ProgramResult result =
        host.run(
            call(script, file.toString(), Long.toString(offset), Integer.toString(length))
                .withOutputBytes(Math.addExact(2 * Math.min(length, 1 << 28), 4096)));
    if (result.exitCode() == ABSENT) {
      return Optional.empty();
    }
    if (result.exitCode() != 0 || !result.errors().isEmpty()) {
      throw new StorageException(ErrorCode.IO, file + ": " + result.errors());
    }
    return Optional.of(HexFormat.of().parseHex(result.output()));
  }

  @Override
  public long size(Path file) throws StorageException {
    if (!exists(file)) {
      throw new StorageException(ErrorCode.NOT_FOUND, file + " is absent");
    }
    return Long.parseLong(
        check(
            file,
            "if [ -b \"$1\" ]; then blockdev --getsize64 \"$1\"; else stat -L -c %s \"$1\"; fi"));
  }

  @Override
  public List<String> list(Path folder) throws StorageException {
    return check(folder, "[ ! -d \"$1\" ] || LC_ALL=C ls -1A \"$1\"").lines().toList();
  }

  @Override
  public Optional<Kind> kind(Path path) throws StorageException {
    String kind = check(path, "[ ! -e \"$1\" ] || stat -L -c %F \"$1\"");
    return switch (kind) {
      case "" -> Optional.empty();
      case "regular file", "regular empty file" -> Optional.of(Kind.FILE);
      case "directory" -> Optional.of(Kind.FOLDER);
      case "block special file" -> Optional.of(Kind.BLOCK_DEVICE);
      default -> Optional.of(Kind.OTHER);
    };
  }

  @Override
  public Path createFolder(Path folder) throws StorageException {
    if (kind(folder).filter(kind -> kind != Kind.FOLDER).isPresent()) {
      throw new StorageException(ErrorCode.INVALID, folder + " is not a directory");
    }
    return Path.of(check(folder, "mkdir -p \"$1\" && realpath \"$1\""));
  }

  @Override
  public void createFile(Path file) throws StorageException {
    String unused =
        check(file, "mkdir -p \"$(dirname \"$1\")\" && { [ -e \"$1\" ] || : > \"$1\"; }");
  }

  @Override
  public void delete(Path path) throws StorageException {
    ProgramResult result =
        shell(
            host,
            "if [ -d \"$1\" ] && [ ! -L \"$1\" ]; then [ -z \"$(ls -A \"$1\")\" ] || exit "
                + NOT_EMPTY
                + "; rmdir \"$1\"; else rm -f \"$1\"; fi",
            path.toString());
    if (result.exitCode() == NOT_EMPTY) {
      throw new StorageException(ErrorCode.BUSY, path + " is not empty, it is left as it is");
    }
    if (result.exitCode() != 0) {
      throw new StorageException(ErrorCode.IO, path + ": " + result.lastLines());
    }
  }

  @Override
  public Path real(Path path) throws StorageException {
    Path absolute = path.toAbsolutePath().normalize();
    if (absolute.getParent() == null || !exists(absolute.getParent())) {
      return absolute;
    }
    return Path.of(check(absolute.getParent(), "realpath \"$1\"")).resolve(absolute.getFileName());
  }

  @Override
  public Optional<String> deviceNumber(Path path) throws StorageException {
    String numbers =
        check(
            path,
            "if [ -b \"$1\" ] || [ -c \"$1\" ]; then"
                + " printf '%d:%d' $(stat -L -c '0x%t 0x%T' \"$1\"); fi");
    return numbers.isEmpty() ? Optional.empty() : Optional.of(numbers);
  }

  @Override
  public SecretFile secret(String content) throws StorageException {
    ProgramCall call =
        call(
            "umask 077; f=$(mktemp /dev/shm/holdfast-XXXXXXXX.key) && cat > \"$f\" && echo \"$f\"");
    Path path = Path.of(host.check(call.withInput(content)));
    return new VmSecret(this, path);
  }

  private record VmSecret(HostFiles files, Path path) implements SecretFile {
    @Override
    public void close() throws StorageException {
      files.delete(path);
    }
  }
}
