package dev.holdfast.resource.json;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reflected shape of each record class, determined once. */
final class RecordShapes {
  private final ClassValue<Shape> shapes =
      new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
          return shape(type);
        }
      };

  /** One field of a record. */
  record Field(String name, Class<?> type, Type genericType, Method accessor) {
    Object valueOf(Object owner) {
      try {
        return accessor.invoke(owner);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(owner.getClass().getName() + "." + name, e);
      }
    }
  }

  /** The fields of a record, in order, and its canonical constructor. */
  record Shape(Map<String, Field> fields, Constructor<?> constructor) {
    /**
     * Creates a record.
     *
     * @throws IllegalArgumentException when the record rejects the values
     */
    Object create(List<Object> values) {
      try {
        return constructor.newInstance(values.toArray());
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof IllegalArgumentException refused) {
          throw refused;
        }
        throw new IllegalStateException(constructor.getDeclaringClass().getName(), e.getCause());
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(constructor.getDeclaringClass().getName(), e);
      }
    }
  }

  Shape of(Class<?> type) {
    return shapes.get(type);
  }

  private static Shape shape(Class<?> type) {
    RecordComponent[] components = type.getRecordComponents();
    if (components == null) {
      throw new IllegalArgumentException(
          type.getName() + " is not a record and has no form in JSON");
    }
    Map<String, Field> fields = new LinkedHashMap<>();
    for (RecordComponent c : components) {
      fields.put(
          c.getName(), new Field(c.getName(), c.getType(), c.getGenericType(), c.getAccessor()));
    }
    Class<?>[] parameters =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      return new Shape(fields, type.getDeclaredConstructor(parameters));
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(type.getName(), e);
    }
  }
}
