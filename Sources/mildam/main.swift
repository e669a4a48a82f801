print("not laid yet")
