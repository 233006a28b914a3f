print("credit-wallet")
