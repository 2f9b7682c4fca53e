package dev.holdfast.csi.internal.node;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.csi.internal.server.CsiNames;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostState;
import java.util.Optional;

/** Records of the staged volumes on this host, one durable file for each. Thread-safe. */
public final class StagedVolumes {
  private final HostState state;
  private final JsonMapper mapper = JsonMapper.builder().build();

  public StagedVolumes(HostState state) {
    this.state = state;
  }

  /** Returns the record of a volume; empty also for an invalid name. */
  Optional<StagedVolume> find(String volume) throws StorageException {
    Optional<String> json = CsiNames.isResourceName(volume) ? state.read(volume) : Optional.empty();
    if (json.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(mapper.readValue(json.get(), StagedVolume.class));
    } catch (JsonProcessingException e) {
      throw new StorageException(
          ErrorCode.IO,
          "the record of volume " + volume + " in " + state.directory() + " is damaged",
          e);
    }
  }

  /** Stores a record and returns it. */
  StagedVolume write(StagedVolume staged) throws StorageException {
    try {
      state.write(staged.volume(), mapper.writeValueAsString(staged));
      return staged;
    } catch (JsonProcessingException e) {
      throw new StorageException(ErrorCode.INTERNAL, "record of volume " + staged.volume(), e);
    }
  }

  void delete(String volume) throws StorageException {
    state.delete(volume);
  }
}
