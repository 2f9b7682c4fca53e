package dev.holdfast.csi.internal.server;

import dev.holdfast.resource.backup.BackupMode;
import io.grpc.StatusException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The parameters of a VolumeSnapshotClass. Names and values are Longhorn's.
 *
 * @param type kind of the object that represents the snapshot
 * @param imageFormat format of a backing image; {@code raw} for other types
 * @param backupTarget name of the target of a backup; empty for the target of the volume
 * @param backupMode whether a backup sends all blocks again
 */
public record SnapshotClass(
    Type type, String imageFormat, String backupTarget, BackupMode backupMode) {
  /** Kind of the object that represents a snapshot. */
  public enum Type {
    /** A snapshot of the volume, stored with its data. */
    SNAPSHOT("snap"),
    /** A backing image with the content of the volume. */
    IMAGE("bi"),
    /** A backup of the volume at a target. */
    BACKUP("bak");

    private final String word;

    Type(String word) {
      this.word = word;
    }

    private Set<String> parameters() {
      return switch (this) {
        case SNAPSHOT -> Set.of();
        case IMAGE -> Set.of(FORMAT);
        case BACKUP -> Set.of(TARGET, MODE);
      };
    }

    private static Type of(String word) throws StatusException {
      for (Type type : values()) {
        if (type.word.equals(word)) {
          return type;
        }
      }
      throw CsiStatus.invalid(
          "parameters[" + TYPE + "]", "\"" + word + "\" is not supported: use snap, bi or bak");
    }
  }

  private static final String TYPE = "type";
  private static final String FORMAT = "export-type";
  private static final String TARGET = "backupTargetName";
  private static final String MODE = "backupMode";
  private static final Set<String> FORMATS = Set.of("raw", "qcow2");

  /**
   * Parses the parameters of a request.
   *
   * @throws StatusException INVALID_ARGUMENT with the parameter
   */
  public static SnapshotClass of(Map<String, String> parameters) throws StatusException {
    Map<String, String> said = ClassParameters.plain(parameters);
    Type type = Type.of(said.getOrDefault(TYPE, Type.SNAPSHOT.word));
    Set<String> unknown = new TreeSet<>(said.keySet());
    unknown.remove(TYPE);
    unknown.removeAll(type.parameters());
    if (!unknown.isEmpty()) {
      throw CsiStatus.invalid(
          "parameters" + unknown,
          "is not known for type "
              + type.word
              + "; known are type, "
              + FORMAT
              + " for bi, "
              + TARGET
              + " and "
              + MODE
              + " for bak");
    }
    String format = said.getOrDefault(FORMAT, "raw");
    if (!FORMATS.contains(format)) {
      throw CsiStatus.invalid(
          "parameters[" + FORMAT + "]", "\"" + format + "\": expected raw or qcow2");
    }
    return new SnapshotClass(
        type,
        format,
        said.getOrDefault(TARGET, ""),
        mode(said.getOrDefault(MODE, BackupMode.INCREMENTAL.toString())));
  }

  private static BackupMode mode(String word) throws StatusException {
    for (BackupMode mode : BackupMode.values()) {
      if (mode.toString().equals(word)) {
        return mode;
      }
    }
    throw CsiStatus.invalid(
        "parameters[" + MODE + "]", "\"" + word + "\": expected incremental or full");
  }
}
