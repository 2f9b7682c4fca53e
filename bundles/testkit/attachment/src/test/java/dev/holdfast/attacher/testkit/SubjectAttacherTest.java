package dev.holdfast.attacher.testkit;

import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.util.Random;
import java.util.Set;

/** The base class of attachers passes the kit. */
class SubjectAttacherTest extends AttacherKit {
  @Override
  protected Reconciler<?> attacher() {
    return new ToyWorld.Attacher();
  }

  @Override
  protected void prepare(ResourceStore store) throws StorageException {
    ToyWorld.prepare(store);
  }

  @Override
  protected void change(ResourceStore store, Random random) throws StorageException {
    ToyWorld.change(store, random);
  }

  @Override
  protected Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException {
    return ToyWorld.wanted(store);
  }
}
