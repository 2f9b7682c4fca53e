package dev.holdfast.share.nfs.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The records of the shares of this node, one durable file each. Thread-safe. */
final class ShareRecords {
  private final HostState state;
  private final JsonMapper mapper = JsonMapper.builder().build();

  ShareRecords(Path folder) {
    this.state = new HostState(folder);
  }

  Optional<ShareRecord> find(String volume) throws StorageException {
    Optional<String> json = state.read(volume);
    if (json.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(mapper.readValue(json.get(), ShareRecord.class));
    } catch (JsonProcessingException e) {
      throw new StorageException(
          ErrorCode.IO,
          "the record of share " + volume + " in " + state.directory() + " is damaged",
          e);
    }
  }

  List<ShareRecord> all() throws StorageException {
    List<ShareRecord> all = new ArrayList<>();
    for (String volume : state.volumes()) {
      find(volume).ifPresent(all::add);
    }
    return all;
  }

  ShareRecord write(ShareRecord record) throws StorageException {
    try {
      state.write(record.volume(), mapper.writeValueAsString(record));
      return record;
    } catch (JsonProcessingException e) {
      throw new StorageException(ErrorCode.INTERNAL, "record of share " + record.volume(), e);
    }
  }

  void delete(String volume) throws StorageException {
    state.delete(volume);
  }
}
