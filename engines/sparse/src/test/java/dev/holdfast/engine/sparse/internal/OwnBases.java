package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.BaseEngine;
import dev.holdfast.engine.BaseInfo;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;

/** An engine of a lab that has the bases of a sparse engine. */
interface OwnBases extends BaseEngine {
  SparseEngine owner();

  @Override
  default List<BaseLocation> bases(DiskLocation disk) throws StorageException {
    return owner().bases(disk);
  }

  @Override
  default Optional<BaseInfo> inspectBase(BaseLocation base) throws StorageException {
    return owner().inspectBase(base);
  }

  @Override
  default BaseWriter createBase(BaseLocation base, long sizeBytes) throws StorageException {
    return owner().createBase(base, sizeBytes);
  }

  @Override
  default BlockDevice openBase(BaseLocation base) throws StorageException {
    return owner().openBase(base);
  }

  @Override
  default void confirmBase(BaseLocation base) throws StorageException {
    owner().confirmBase(base);
  }

  @Override
  default void deleteBase(BaseLocation base) throws StorageException {
    owner().deleteBase(base);
  }
}
