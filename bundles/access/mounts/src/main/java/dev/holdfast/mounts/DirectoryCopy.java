package dev.holdfast.mounts;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Copies files into a new directory, which appears atomically when the copy is complete and
 * durable. Keeps holes and written zeroes, because they differ in a layer.
 *
 * @param source source directory, read only
 * @param files to copy, by name
 */
record DirectoryCopy(Path source, List<String> files) {
  /** Changes the copied files before the directory appears. */
  interface Adaptation {
    void apply(Path copy) throws IOException;
  }

  void to(Path target, Adaptation adaptation) throws StorageException {
    String tar = HostProgram.require("tar", "tar").toString();
    Path part = target.resolveSibling(".import-" + target.getFileName());
    boolean done = false;
    try {
      if (Files.exists(target)) {
        throw new StorageException(ErrorCode.ALREADY_EXISTS, target + " exists");
      }
      Files.createDirectories(part);
      copy(tar, part);
      adaptation.apply(part);
      for (String file : files) {
        sync(part.resolve(file), StandardOpenOption.WRITE);
      }
      sync(part, StandardOpenOption.READ);
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
      sync(target.getParent(), StandardOpenOption.READ);
      done = true;
    } catch (IOException e) {
      throw StorageException.io(target.toString(), e);
    } finally {
      if (!done) {
        deleteQuietly(part);
      }
    }
  }

  // cp --sparse would turn written zeroes into holes; an archive keeps both.
  private void copy(String tar, Path part) throws IOException, StorageException {
    List<String> pack =
        new ArrayList<>(
            List.of(tar, "--sparse", "--hole-detection=seek", "-C", source.toString(), "-cf", "-"));
    pack.add("--");
    pack.addAll(files);
    List<String> unpack = List.of(tar, "--sparse", "-C", part.toString(), "-xf", "-");
    Path messages = Files.createTempFile("holdfast-import", ".out");
    try {
      List<ProcessBuilder> builders = List.of(new ProcessBuilder(pack), new ProcessBuilder(unpack));
      builders.forEach(b -> b.redirectError(Redirect.appendTo(messages.toFile())));
      for (Process process : ProcessBuilder.startPipeline(builders)) {
        if (process.waitFor() != 0) {
          throw new IOException("copying failed: " + Files.readString(messages).strip());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.IO, source + ": interrupted", e);
    } finally {
      Files.deleteIfExists(messages);
    }
  }

  private static void sync(Path path, StandardOpenOption how) throws IOException {
    try (FileChannel channel = FileChannel.open(path, how)) {
      channel.force(true);
    }
  }

  private static void deleteQuietly(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      directory.toFile().deleteOnExit();
    }
  }
}
