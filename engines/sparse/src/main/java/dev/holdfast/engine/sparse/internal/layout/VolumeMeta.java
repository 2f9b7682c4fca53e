package dev.holdfast.engine.sparse.internal.layout;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Longhorn's {@code volume.meta}. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record VolumeMeta(
    @JsonProperty("Size") long size,
    @JsonProperty("Head") String head,
    @JsonProperty("Dirty") boolean dirty,
    @JsonProperty("Rebuilding") boolean rebuilding,
    @JsonProperty("Error") String error,
    @JsonProperty("Parent") String parent,
    @JsonProperty("SectorSize") long sectorSize,
    @JsonProperty("BackingFilePath") String backingFilePath,
    @JsonProperty("Encrypted") boolean encrypted) {
  private static final String SEPARATOR = ":";

  public VolumeMeta withHead(String newHead, String newParent, long newSize) {
    return new VolumeMeta(
        newSize,
        newHead,
        dirty,
        rebuilding,
        error,
        newParent,
        sectorSize,
        backingFilePath,
        encrypted);
  }

  public VolumeMeta withRebuilding(boolean value) {
    return new VolumeMeta(
        size, head, dirty, value, error, parent, sectorSize, backingFilePath, encrypted);
  }

  /**
   * Returns a copy with the flag whether layers are shared with another replica, and with the path
   * of the base file, empty for none.
   */
  public VolumeMeta withBacking(boolean shared, String base) {
    String separator = shared && !base.isEmpty() ? SEPARATOR : "";
    String file = (shared ? LonghornLayout.SHARES_LAYERS : "") + separator + base;
    return new VolumeMeta(
        size, head, dirty, rebuilding, error, parent, sectorSize, file, encrypted);
  }

  public boolean shared() {
    return backingFilePath != null
        && (backingFilePath.equals(LonghornLayout.SHARES_LAYERS)
            || backingFilePath.startsWith(LonghornLayout.SHARES_LAYERS + SEPARATOR));
  }

  /** Returns the path of the file below the layers, empty for none. */
  public String base() {
    if (!shared()) {
      return backingFilePath == null ? "" : backingFilePath;
    }
    String rest = backingFilePath.substring(LonghornLayout.SHARES_LAYERS.length());
    return rest.isEmpty() ? "" : rest.substring(SEPARATOR.length());
  }

  VolumeMeta withDirty(boolean value) {
    return new VolumeMeta(
        size, head, value, rebuilding, error, parent, sectorSize, backingFilePath, encrypted);
  }
}
