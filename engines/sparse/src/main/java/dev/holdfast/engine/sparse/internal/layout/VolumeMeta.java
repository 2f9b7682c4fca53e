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

  /** Says whether layers are shared with another replica. */
  public VolumeMeta withShared(boolean value) {
    String file = value ? LonghornLayout.SHARES_LAYERS : "";
    return new VolumeMeta(
        size, head, dirty, rebuilding, error, parent, sectorSize, file, encrypted);
  }

  public boolean shared() {
    return LonghornLayout.SHARES_LAYERS.equals(backingFilePath);
  }

  VolumeMeta withDirty(boolean value) {
    return new VolumeMeta(
        size, head, value, rebuilding, error, parent, sectorSize, backingFilePath, encrypted);
  }
}
