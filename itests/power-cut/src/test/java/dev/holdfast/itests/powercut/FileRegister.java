package dev.holdfast.itests.powercut;

import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.TreeSet;

/** A register in a file that is replaced by rename, everything synced before the answer. */
final class FileRegister implements MembershipRegister {
  private final Path file;

  FileRegister(Path file) {
    this.file = file;
  }

  @Override
  public synchronized Membership read() throws StorageException {
    try {
      return Files.exists(file) ? parse(Files.readAllLines(file)) : Membership.NONE;
    } catch (IOException e) {
      throw StorageException.io("register " + file + " cannot be read", e);
    }
  }

  @Override
  public synchronized boolean compareAndSet(Membership expected, Membership next)
      throws StorageException {
    if (!read().equals(expected)) {
      return false;
    }
    try {
      replace(text(next));
      return true;
    } catch (IOException e) {
      throw StorageException.io("register " + file + " cannot be written", e);
    }
  }

  private void replace(String content) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    try (FileChannel channel =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8)));
      channel.force(true);
    }
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel directory = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  private static String text(Membership record) {
    return String.join(
        "\n",
        Long.toString(record.generation()),
        record.owner(),
        Long.toString(record.epochGeneration()),
        Long.toString(record.epochNumber()),
        String.join("\n", record.members()));
  }

  private static Membership parse(List<String> lines) {
    return new Membership(
        Long.parseLong(lines.get(0)),
        lines.get(1),
        Long.parseLong(lines.get(2)),
        Long.parseLong(lines.get(3)),
        new TreeSet<>(lines.subList(4, lines.size())));
  }
}
