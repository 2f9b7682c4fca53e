package dev.holdfast.fileobjects;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/** Folders below a root, without following symbolic links. */
final class Folders {
  private Folders() {}

  /** Returns whether every component between the root and the folder is a directory itself. */
  static boolean isReal(Path root, Path folder) throws IOException {
    for (Path part = folder; !part.equals(root); part = part.getParent()) {
      if (FileObjects.attributes(part).filter(BasicFileAttributes::isDirectory).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** Creates the missing parts of a folder, durably. */
  static void create(Path root, Path folder) throws IOException {
    if (folder.equals(root) || isReal(root, folder)) {
      return;
    }
    create(root, folder.getParent());
    try {
      Files.createDirectory(folder);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        throw new NotDirectoryException(folder.toString());
      }
    }
    sync(folder.getParent());
  }

  /** Removes a folder and its parents below the root as far as they are empty. */
  static void removeEmpty(Path root, Path folder) throws IOException {
    for (Path part = folder; !part.equals(root); part = part.getParent()) {
      try {
        Files.deleteIfExists(part);
      } catch (FileSystemException e) {
        // The folder is not empty, which file systems report by different exceptions.
        return;
      }
    }
  }

  /** Makes the entries of a folder durable; a removed folder has none. */
  static void sync(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (NoSuchFileException e) {
      if (FileObjects.attributes(folder).isPresent()) {
        throw e;
      }
    }
  }
}
